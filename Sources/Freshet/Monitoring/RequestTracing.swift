import FreshetCore
public import FreshetHTTP
import HTTPTypes
public import Tracing

/// Traces requests through swift-distributed-tracing, under the names of OpenTelemetry's conventions, and tells servers of
/// the trace in their headers.
///
/// Each time on the wire is a client span: each attempt and each hop of a redirect, a child of what the subscriber's task
/// had as its context (`ServiceContext.current`) when it subscribed. It begins when the request's turn has come and its
/// adapters are done, and ends with the answer's body, or when the subscriber leaves. Its status is an error if the server
/// answered with 400 or above, or if there was no answer or no end of it; leaving an answer that has begun is no error.
///
/// The refresh of a credential is a child of the attempt that has caused it, the first of those whose answer said that the
/// credential had ended; of one that was caused before anything was sent, of what that request's subscriber had.
/// ```swift
/// configuration.monitors = [RequestTracing()]
/// ```
public struct RequestTracing: ClientMonitor {
    /// What is shown of the address, as `url.full`.
    public var redaction = Redaction()
    /// Methods that may be a span's name; others are `HTTP`.
    public var knownMethods: Set<String> {
        get { semantics.knownMethods }
        set { semantics.knownMethods = newValue }
    }
    /// Which servers are told of the trace; by default all.
    public var isTold: @Sendable (Origin) -> Bool = { _ in true }

    private let tracer: (any Tracer)?
    private var semantics = HTTPSemantics()

    /// Spans by a tracer.
    ///
    /// - Parameter tracer: `nil` for the one that the instrumentation system has where a request is subscribed to.
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
        guard isTold(request.url.origin) else { return }
        trail.tracer.inject(span.context, into: &request.headers, using: FieldInjector())
    }

    public func receive(_ event: ClientEvent) {
        switch event.kind {
        case .exchanged(let exchange):
            guard let span = event.request.tags[RequestSpans.self]?.removeSpan() else { return }
            end(span, exchange)
        case .finished, .failed, .cancelled:
            event.request.tags[RequestSpans.self]?.close()?.end()
        default:
            break
        }
    }

    private func begin(
        _ request: Request, _ tracer: any Tracer, below parent: ServiceContext?, resends: Int
    ) -> any Span {
        let method = semantics.method(request.method)
        let span = tracer.startAnySpan(
            method == "_OTHER" ? "HTTP" : method,
            context: parent ?? .topLevel, ofKind: .client)
        span.updateAttributes { attributes in
            attributes["http.request.method"] = method
            if method == "_OTHER" { attributes["http.request.method_original"] = request.method.rawValue }
            attributes["server.address"] = request.url.host
            attributes["server.port"] = request.url.port
            attributes["url.full"] = redaction.url(request.url)
            if resends > 0 { attributes["http.request.resend_count"] = resends }
        }
        return span
    }

    private func end(_ span: any Span, _ exchange: Exchange) {
        span.updateAttributes { attributes in
            if let head = exchange.head { attributes["http.response.status_code"] = head.status.code }
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

/// Puts what the tracer has to say into a request's header.
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
