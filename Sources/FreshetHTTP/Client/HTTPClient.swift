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
    /// What stands over the transport, the outermost first.
    public let layers: [any TransportLayer]
    /// The clock of deadlines and retry delays.
    public let scheduler: any SchedulerType
    let transport: any Transport
    /// The transport under all layers, which were put over it when the client was made.
    let layered: any Transport
    /// Whether what a request does not say is what the transport takes anyway.
    private let hasDefaultTransfer: Bool
    let monitor: ClientMonitors?
    /// Of all clients that were derived from one.
    let activity: ClientActivity

    /// A client over any transport. `FreshetRuntime/client` is one over libcurl; this is for tests, and for transports of one's own.
    ///
    /// - Parameters:
    ///   - transport: carries the requests.
    ///   - scheduler: the clock of deadlines and retry delays.
    ///   - layers: stand over the transport, the outermost first.
    ///   - interceptors: asked in this order, adapters and retriers alike.
    ///   - configuration: what holds for requests that do not say otherwise.
    public convenience init(
        transport: any Transport, scheduler: any SchedulerType, layers: [any TransportLayer] = [],
        interceptors: [any RequestInterceptor] = [], configuration: Configuration = Configuration()
    ) {
        self.init(
            transport: transport, layered: transport.under(layers), layers: layers, scheduler: scheduler,
            interceptors: interceptors, configuration: configuration, activity: ClientActivity())
    }

    private init(
        transport: any Transport, layered: any Transport, layers: [any TransportLayer], scheduler: any SchedulerType,
        interceptors: [any RequestInterceptor], configuration: Configuration, activity: ClientActivity
    ) {
        self.activity = activity
        self.transport = transport
        self.layered = layered
        self.layers = layers
        hasDefaultTransfer = configuration.transfer == TransferOptions()
        self.scheduler = scheduler
        self.interceptors = interceptors
        self.configuration = configuration
        monitor = configuration.monitors.isEmpty ? nil : ClientMonitors(configuration.monitors)
    }

    /// The same client, with its transport and clock, under other interceptors, layers or another configuration. Layers that
    /// are not replaced are shared, with whatever they keep.
    public func with(
        interceptors: [any RequestInterceptor]? = nil, layers: [any TransportLayer]? = nil,
        configuration: Configuration? = nil
    ) -> HTTPClient {
        HTTPClient(
            transport: transport, layered: layers.map { transport.under($0) } ?? layered, layers: layers ?? self.layers,
            scheduler: scheduler, interceptors: interceptors ?? self.interceptors,
            configuration: configuration ?? self.configuration, activity: activity)
    }

    /// Everything that happens to `request`; the other ways to send are operators on this.
    ///
    /// Fails with an ``HTTPClientError``, or with the error of an interceptor. Pausing the subscription stops reading from
    /// the network.
    public func events(_ request: Request) -> Observable<RequestEvent> {
        .ruled(from: RequestSeed(request: request.sayingItsContentType, client: self)) { seed, observer in
            RequestCall(seed, for: EventOutput(seed, observer))
        }
    }

    /// The answer with its whole body. Any status is an answer; see `validate(statusCodes:)`.
    ///
    /// Fails with `tooLarge` once the body exceeds ``Configuration/maximumBodySize``.
    public func send(_ request: Request) -> Single<Response> {
        .ruled(from: RequestSeed(request: request.sayingItsContentType, client: self)) { seed, observer in
            RequestCall(seed, for: ResponseOutput(seed, observer))
        }
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

/// The chain of a request: a ``RequestCall`` asks for these in this order, once for each attempt and each hop of a redirect.
extension HTTPClient {
    /// 1. The transfer goes to the layers, the outermost first, and to the transport.
    func transfer(_ request: Request, to receiver: any TransferReceiver) -> any Transfer {
        var request = request
        if !hasDefaultTransfer, request.transfer == nil { request.transfer = configuration.transfer }
        return layered.transfer(request, to: receiver)
    }

    /// 2. When the request's turn has come, the adapters make it final, and the monitors mark it.
    func adapt(_ request: inout Request) -> Adaptation {
        switch interceptors.adapt(&request) {
        case .ready:
            monitor?.willSend(&request)
            return .ready
        case .waiting(let adapted):
            guard let monitor else { return .waiting(adapted) }
            return .waiting(adapted.map { monitor.willSend($0) })
        }
    }

    /// 3. When it goes out, interceptors begin to watch it.
    func watch(_ attempt: RequestInFlight, of request: Request) -> (any Disposable)? {
        var all: (any Disposable)?
        for interceptor in interceptors {
            guard let watch = interceptor.watch(attempt, of: request) else { continue }
            all = all.map { Disposables.create($0, watch) } ?? watch
        }
        return all
    }

    /// 4. When the head of a response has come, interceptors see it first.
    func received(_ head: HTTPResponse, for request: Request) {
        for interceptor in interceptors { interceptor.received(head, for: request) }
    }

    /// 5. How much of the response retriers want to see before it is delivered, in bytes.
    func peekLimit(_ head: HTTPResponse, for request: Request) -> Int {
        var limit = 0
        for interceptor in interceptors {
            if case .body(let wanted) = interceptor.peek(at: head, of: request) { limit = max(limit, wanted) }
        }
        return limit
    }

    /// 6. The first retrier that does not answer `doNotRetry` decides what follows the attempt.
    func decision(about attempt: Attempt) -> Single<RetryResult> { decision(about: attempt, of: interceptors[...]) }

    private func decision(
        about attempt: Attempt, of retriers: ArraySlice<any RequestInterceptor>
    ) -> Single<RetryResult> {
        guard let first = retriers.first else { return .just(.doNotRetry) }
        return first.retry(attempt).flatMap { result in
            if case .doNotRetry = result { return self.decision(about: attempt, of: retriers.dropFirst()) }
            return .just(result)
        }
    }
}

extension Transport {
    /// The transport with `layers` over it, the outermost first.
    fileprivate func under(_ layers: [any TransportLayer]) -> any Transport {
        layers.reversed().reduce(self as any Transport) { transport, layer in layer.over(transport) }
    }
}
