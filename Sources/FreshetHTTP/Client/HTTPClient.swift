public import FreshetCore

/// Sends requests through interceptors and a ``Transport``, follows redirects, and gives the answers as streams.
///
/// A client is a value to share: one for a program is right. Every stream is cold; subscribing sends, disposing cancels
/// in any phase. Events arrive on the transport's thread unless `observe(on:)` says otherwise.
public final class HTTPClient: Sendable {
    public struct Configuration: Sendable {
        /// For requests that do not say otherwise.
        public var transfer = TransferOptions()
        /// The time for everything, of requests that do not say otherwise.
        public var timeout: Duration? = .seconds(60)
        /// How many redirects are followed; 0 makes every redirect the answer.
        public var redirectLimit = 10
        /// The largest body that ``HTTPClient/send(_:)`` collects, in bytes, after decoding.
        public var maximumBodySize = 64 * 1024 * 1024

        public init() {}
    }

    public let configuration: Configuration
    let transport: any Transport
    let scheduler: any SchedulerType
    let interceptors: [any RequestInterceptor]

    /// - Parameters:
    ///   - scheduler: the clock of deadlines and retry delays.
    ///   - interceptors: asked in this order, adapters and retriers alike.
    public init(
        transport: any Transport, scheduler: any SchedulerType, interceptors: [any RequestInterceptor] = [],
        configuration: Configuration = Configuration()
    ) {
        self.transport = transport
        self.scheduler = scheduler
        self.interceptors = interceptors
        self.configuration = configuration
    }

    /// Everything that happens to `request`; the other ways to send are operators on this.
    public func events(_ request: Request) -> Observable<RequestEvent> {
        .never()
    }

    /// The answer with its whole body. Any status is an answer; see `validate(statusCodes:)`.
    public func send(_ request: Request) -> Single<Response> {
        .never()
    }
}
