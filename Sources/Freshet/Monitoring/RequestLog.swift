public import FreshetHTTP
import HTTPTypes
public import Logging
import Tracing

/// Writes lines about requests through swift-log: one line at the end of each request, and, if the logger's level
/// includes ``detailLevel``, one line for each step of the request.
///
/// A line contains no secret: it has no body, only the names of query items, and only those values of header fields
/// that are known to be harmless. See ``redaction``. Metadata keys are OpenTelemetry's names where OpenTelemetry
/// defines one. The logger's metadata provider finds the context of the task that sent the request, so that the lines
/// belong to its trace.
/// ```swift
/// configuration.monitors = [RequestLog()]
/// ```
public struct RequestLog: ClientMonitor {
    private let logger: Logger
    /// The level of the line at the end of a request that received a response. This includes a request that its caller leaves
    /// after the response has begun, as the operator `take` does, and an event stream whose credential expires.
    public var level = Logger.Level.info
    /// The level of the line at the end of a request that failed.
    public var failureLevel = Logger.Level.warning
    /// The level of the lines for the steps of a request, and of the line at the end of a request that its caller left before
    /// any response arrived.
    public var detailLevel = Logger.Level.debug
    /// Decides which parts of URLs and header fields the lines contain.
    public var redaction = Redaction()

    public init(_ logger: Logger = Logger(label: "freshet.http")) {
        self.logger = logger
    }

    public func willStart(_ request: inout Request) {
        let context = request.context ?? .current
        if !context.binds(ServiceContext.$current) {
            request.context = context.binding(ServiceContext.$current, to: ServiceContext.current)
        }
    }

    public func receive(_ event: ClientEvent) {
        let level = level(of: event)
        guard logger.logLevel <= level else { return }
        logger.log(level: level, "\(message(for: event))", metadata: metadata(for: event))
    }

    private func level(of event: ClientEvent) -> Logger.Level {
        switch event.kind {
        case .finished: level
        // This is how most event streams end: their readers have seen enough, or the credential expires.
        case .cancelled where event.status != nil: level
        case .failed: failureLevel
        default: detailLevel
        }
    }

    private func message(for event: ClientEvent) -> String {
        let request = "\(event.request.method.rawValue) \(redaction.url(event.request.url))"
        switch event.kind {
        case .finished(let timings):
            return "\(request): \(event.status?.code ?? 0) in \(timings.total.milliseconds) ms"
        case .failed(let error, let timings):
            return "\(request): \(error.safeDescription) after \(timings.total.milliseconds) ms"
        case .cancelled(let timings):
            return "\(request): left after \(timings.total.milliseconds) ms"
        case .redirect(let status, let url):
            return "\(request): \(status.code), redirected to \(redaction.url(url))"
        case .exchanged(let exchange):
            return "\(request): exchange \(exchange.resends + 1) over after \(exchange.duration.milliseconds) ms"
        case .retry(let delay, _):
            return "\(request): sent again after \(delay.milliseconds) ms"
        default:
            return "\(request): \(event.kind)"
        }
    }

    private func metadata(for event: ClientEvent) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "request.id": "\(event.id)",
            "http.request.method": "\(event.request.method.rawValue)",
            "url.full": "\(redaction.url(event.request.url))",
        ]
        if event.attempt > 1 { metadata["attempt"] = "\(event.attempt)" }
        if let status = event.status { metadata["http.response.status_code"] = "\(status.code)" }
        switch event.kind {
        case .finished(let timings), .cancelled(let timings):
            add(timings, in: &metadata)
        case .failed(let error, let timings):
            metadata["error.type"] = "\((error as? HTTPClientError)?.code.rawValue ?? "\(type(of: error))")"
            add(timings, in: &metadata)
        case .phase(.admitted):
            metadata["http.request.header"] = fields(event.request.headers)
        case .head(let head):
            metadata["http.response.header"] = fields(head.headerFields)
        default:
            break
        }
        return metadata
    }

    private func add(_ timings: RequestTimings, in metadata: inout Logger.Metadata) {
        metadata["duration_ms"] = "\(timings.total.milliseconds)"
        for (name, duration) in timings.phases where duration > .zero {
            metadata["\(name)_ms"] = "\(duration.milliseconds)"
        }
    }

    private func fields(_ fields: HTTPFields) -> Logger.MetadataValue {
        .array(fields.map { "\($0.name.rawName): \(redaction.value(of: $0))" })
    }
}

extension Duration {
    /// To the microsecond.
    fileprivate var milliseconds: Double { (self / .microseconds(1)).rounded() / 1000 }
}
