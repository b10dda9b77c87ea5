import FreshetCore
public import FreshetHTTP
import HTTPTypes
public import Tracing

/// Traces requests through swift-distributed-tracing, under the names of OpenTelemetry's conventions, and sends the
/// trace to servers in header fields.
///
/// Each attempt and each hop of a redirect is a client span. Its parent is the context (`ServiceContext.current`) that
/// the subscriber's task had when it subscribed. A span begins when the request is admitted and its adapters have run.
/// It ends with the response's body, or when the subscriber cancels. Its status is an error if the server responds with
/// 400 or above, if there is no response, or if the response is incomplete. A subscriber that cancels a response that
/// has begun causes no error.
///
/// The actions of layers are events of the span, named `freshet.layer.<layer>.<event>`. A request that is not sent, because a
/// cache has responded or a layer has refused it, is one internal span.
///
/// The span of a credential's refresh is a child of the attempt that has caused the refresh: the first one whose
/// response said that the credential had expired. If a request causes a refresh before its first attempt, the span of the
/// refresh is a child of the context that the subscriber had.
/// ```swift
/// configuration.monitors = [RequestTracing()]
/// ```
public struct RequestTracing: ClientMonitor {
    /// Decides which parts of the URL are shown, as `url.full`.
    public var redaction = Redaction()
    /// The methods that are used as a span's name. A span of any other method is named `HTTP`.
    public var knownMethods: Set<String> {
        get { semantics.knownMethods }
        set { semantics.knownMethods = newValue }
    }
    /// Decides which servers receive the trace in header fields; by default all.
    public var isPropagated: @Sendable (Origin) -> Bool = { _ in true }

    private let tracer: (any Tracer)?
    private var semantics = HTTPSemantics()

    /// Creates a monitor that creates spans with a tracer.
    ///
    /// - Parameter tracer: the tracer; `nil` uses the tracer that the instrumentation system has when a request is
    ///   subscribed to.
    public init(tracer: (any Tracer)? = nil) {
        self.tracer = tracer
    }

    public func willStart(_ request: inout Request) {
        let trail = RequestSpans(tracer ?? InstrumentationSystem.tracer, of: ServiceContext.current)
        request.tags[RequestSpans.self] = trail
        request.context = (request.context ?? .current).binding(ServiceContext.$current) { trail.latest }
    }

    public func willSend(_ request: inout Request) {
        guard let trail = request.tags[RequestSpans.self], let span = trail.span(of: request, begin) else { return }
        guard isPropagated(request.url.origin) else { return }
        trail.tracer.inject(span.context, into: &request.headers, using: FieldInjector())
    }

    public func receive(_ event: ClientEvent) {
        switch event.kind {
        case .exchanged(let exchange):
            guard let span = event.request.tags[RequestSpans.self]?.removeSpan() else { return }
            end(span, exchange)
        case .phase(.cache(let status)):
            event.request.tags[RequestSpans.self]?.add(SpanEvent(LayerEvent(status)))
        case .phase(.layer(let layerEvent)):
            event.request.tags[RequestSpans.self]?.add(SpanEvent(layerEvent))
        case .finished, .cancelled: close(event, failure: nil)
        case .failed(let error, _): close(event, failure: error)
        default:
            break
        }
    }

    /// A request that only layers have responded to or refused also has a span, without a server, and so has a retry.
    private func close(_ event: ClientEvent, failure: (any Error)?) {
        guard let spans = event.request.tags[RequestSpans.self] else { return }
        let (last, events) = spans.close()
        last?.end()
        guard let first = events.first else { return }
        let span = start(
            event.request, spans.tracer, below: spans.latest, .internal,
            at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: first.nanosecondsSinceEpoch))
        for event in events { span.addEvent(event) }
        if let status = event.status { span.attributes["http.response.status_code"] = status.code }
        if let failure {
            span.attributes["error.type"] = semantics.errorType(of: failure)
            span.setStatus(SpanStatus(code: .error, message: failure.safeDescription))
        }
        span.end()
    }

    private func begin(
        _ request: Request, _ tracer: any Tracer, below parent: ServiceContext?, resends: Int
    ) -> any Span {
        let span = start(request, tracer, below: parent, .client, at: DefaultTracerClock.now)
        if resends > 0 { span.attributes["http.request.resend_count"] = resends }
        return span
    }

    private func start(
        _ request: Request, _ tracer: any Tracer, below parent: ServiceContext?, _ kind: SpanKind,
        at instant: DefaultTracerClock.Timestamp
    ) -> any Span {
        let method = semantics.method(request.method)
        let span = tracer.startSpan(
            method == "_OTHER" ? "HTTP" : method, context: parent ?? .topLevel, ofKind: kind, at: instant)
        span.updateAttributes { attributes in
            attributes["http.request.method"] = method
            if method == "_OTHER" { attributes["http.request.method_original"] = request.method.rawValue }
            attributes["server.address"] = request.url.host
            attributes["server.port"] = request.url.port
            attributes["url.full"] = redaction.url(request.url)
        }
        return span
    }

    private func end(_ span: any Span, _ exchange: Exchange) {
        span.updateAttributes { attributes in
            if let head = exchange.wireHead { attributes["http.response.status_code"] = head.status.code }
            if let version = exchange.version { attributes["network.protocol.version"] = version }
            if let (address, port) = exchange.peer {
                attributes["network.peer.address"] = address
                attributes["network.peer.port"] = port
            }
            if let error = semantics.errorType(of: exchange) { attributes["error.type"] = error }
        }
        if let failure = exchange.failure {
            span.setStatus(SpanStatus(code: .error, message: failure.safeDescription))
        } else if semantics.errorType(of: exchange) != nil {
            span.setStatus(SpanStatus(code: .error))
        }
        span.end()
    }
}

extension SpanEvent {
    fileprivate init(_ event: LayerEvent) {
        self.init(name: "freshet.layer.\(event.layer).\(event.name)")
        if let duration = event.duration { attributes["freshet.layer.wait.duration"] = duration / .seconds(1) }
    }
}

/// Writes the tracer's values into the header of a request.
private struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        if let name = HTTPField.Name(key) { fields[name] = value }
    }
}

extension Exchange {
    fileprivate var peer: (address: String, port: Int)? {
        guard let address, let colon = address.lastIndex(of: ":"),
            let port = Int(address[address.index(after: colon)...])
        else { return nil }
        return (address[..<colon].trimmingPrefix("[").description.replacing("]", with: ""), port)
    }
}
