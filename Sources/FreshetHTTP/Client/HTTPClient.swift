public import FreshetCore
public import HTTPTypes

/// Sends requests through interceptors and a ``Transport``, follows redirects, and gives the answers as streams.
///
/// One client for a program is right; it can be used from any thread. Every stream is cold: subscribing sends, disposing
/// cancels in any phase. Events arrive on the transport's thread unless `observe(on:)` says otherwise.
public final class HTTPClient: Sendable {
    /// What holds for all requests of a client that do not say otherwise.
    public struct Configuration: Sendable {
        /// For requests that do not say otherwise.
        public var transfer = TransferOptions()
        /// The time for everything, of requests that do not say otherwise; `nil` is no limit.
        public var timeout: Duration? = .seconds(60)
        /// How many redirects are followed; 0 makes every redirect the answer.
        public var redirectLimit = 10
        /// Whether a redirect may lead from https to http.
        public var allowsDowngradingRedirects = false
        /// The largest body that ``HTTPClient/send(_:)`` collects, in bytes, after decoding.
        public var maximumBodySize = 64 * 1024 * 1024
        /// Who is told what happens to all requests, in this order; see ``ClientEvent``.
        public var monitors: [any ClientMonitor] = []

        public init() {}
    }

    /// What it was made with.
    public let configuration: Configuration
    /// Asked in this order, adapters and retriers alike.
    public let interceptors: [any RequestInterceptor]
    /// The clock of deadlines and retry delays.
    public let scheduler: any SchedulerType
    let transport: any Transport
    /// The same, without the streams if it can do without.
    let transfers: any DirectTransport
    let clock: ClientClock
    /// Whether what a request does not say is what the transport takes anyway.
    let hasDefaultTransfer: Bool
    let watchers: [any ResponseWatcher]
    /// The interceptors once more, to be asked of each request.
    let interceptorLinks: InterceptorLink
    let peeking: Peeking
    let monitor: ClientMonitors?
    /// Of all clients that were derived from one.
    let activity: ClientActivity

    /// A client over any transport. `Runtime/client` is one over libcurl; this is for tests, and for transports of one's own.
    ///
    /// - Parameters:
    ///   - transport: carries the requests.
    ///   - scheduler: the clock of deadlines and retry delays.
    ///   - interceptors: asked in this order, adapters and retriers alike.
    ///   - configuration: what holds for requests that do not say otherwise.
    public convenience init(
        transport: any Transport, scheduler: any SchedulerType, interceptors: [any RequestInterceptor] = [],
        configuration: Configuration = Configuration()
    ) {
        self.init(
            transport: transport, scheduler: scheduler, interceptors: interceptors, configuration: configuration,
            activity: ClientActivity())
    }

    private init(
        transport: any Transport, scheduler: any SchedulerType, interceptors: [any RequestInterceptor],
        configuration: Configuration, activity: ClientActivity
    ) {
        self.activity = activity
        self.transport = transport
        transfers = transport as? any DirectTransport ?? StreamedTransport(transport)
        clock = .of(scheduler)
        hasDefaultTransfer = configuration.transfer == TransferOptions()
        self.scheduler = scheduler
        self.interceptors = interceptors
        watchers = interceptors.compactMap { $0 as? any ResponseWatcher }
        interceptorLinks = InterceptorLink.chain(interceptors)
        peeking = Peeking(interceptors)
        self.configuration = configuration
        monitor = configuration.monitors.isEmpty ? nil : ClientMonitors(configuration.monitors)
    }

    /// The same client, with its transport and clock, under other interceptors or another configuration.
    public func with(
        interceptors: [any RequestInterceptor]? = nil, configuration: Configuration? = nil
    ) -> HTTPClient {
        HTTPClient(
            transport: transport, scheduler: scheduler, interceptors: interceptors ?? self.interceptors,
            configuration: configuration ?? self.configuration, activity: activity)
    }

    /// Everything that happens to `request`; the other ways to send are operators on this.
    ///
    /// Fails with an ``HTTPClientError``, or with the error of an interceptor. Pausing the subscription stops reading from
    /// the network.
    public func events(_ request: Request) -> Observable<RequestEvent> {
        .ruled(EventCall.self, from: RequestCall.Seed(request: request.sayingItsContentType, client: self))
    }

    /// The answer with its whole body. Any status is an answer; see `validate(statusCodes:)`.
    ///
    /// Fails with `tooLarge` once the body exceeds ``Configuration/maximumBodySize``.
    public func send(_ request: Request) -> Single<Response> {
        .ruled(AnswerCall.self, from: RequestCall.Seed(request: request.sayingItsContentType, client: self))
    }

    /// The answer to the request that is sent at each subscription; an invalid URL fails the stream.
    public func send(
        _ method: HTTPRequest.Method = .get, _ url: String, headers: HTTPFields = [:], body: RequestBody = .empty
    ) -> Single<Response> {
        do {
            return send(try Request(method, url, headers: headers, body: body))
        } catch {
            return .error(error)
        }
    }

    /// The answer to a GET.
    public func get(_ url: String, headers: HTTPFields = [:]) -> Single<Response> {
        send(.get, url, headers: headers)
    }

    /// The answer to a POST.
    public func post(_ url: String, headers: HTTPFields = [:], body: RequestBody) -> Single<Response> {
        send(.post, url, headers: headers, body: body)
    }
}

extension HTTPClient {
    /// What the first retrier with an opinion says.
    func decision(about attempt: Attempt) -> Single<RetryResult> {
        decision(about: attempt, of: interceptors[...])
    }

    private func decision(about attempt: Attempt, of retriers: ArraySlice<any RequestInterceptor>) -> Single<
        RetryResult
    > {
        guard let first = retriers.first else { return .just(.doNotRetry) }
        return first.retry(attempt).flatMap { result in
            if case .doNotRetry = result { return self.decision(about: attempt, of: retriers.dropFirst()) }
            return .just(result)
        }
    }
}
