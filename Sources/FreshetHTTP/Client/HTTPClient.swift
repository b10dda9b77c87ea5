import FoundationEssentials
public import FreshetCore
import HTTPTypes

/// Sends requests through interceptors and a ``Transport``, follows redirects, and delivers responses as streams.
///
/// A program needs one client; any thread can use it. Every stream is cold: subscribing sends the request, and disposing
/// cancels it in any phase. Events arrive on the transport's thread unless `observe(on:)` says otherwise; the failure of a
/// credential arrives on the thread of its store, and a response from a cache on disk on a thread of that cache.
public final class HTTPClient: Sendable {
    /// The settings of a client, for requests that do not set their own.
    public struct Configuration: Sendable {
        /// The limits of a transfer, for requests that do not set their own.
        public var transfer = TransferOptions()
        /// The time limit for everything that a request does, for requests that do not set their own; `nil` is no limit.
        public var timeout: Duration? = .seconds(60)
        /// How many redirects the client follows. With 0, the client delivers every redirect as the response.
        public var redirectLimit = 10
        /// Whether a redirect may lead from https to http.
        public var allowsDowngradingRedirects = false
        /// The largest body that ``HTTPClient/send(_:)-(Request)`` collects, in bytes, after decoding.
        public var maximumBodySize = 64 * 1024 * 1024
        /// Decodes bodies where a call names no decoder.
        public var decoder: any BodyDecoder = JSONDecoder()
        /// Encodes the values of `post(url, json: value)` and the like.
        public var encoder: any BodyEncoder = JSONEncoder()
        /// The type of the API's error bodies. If the body of a response with an error status can be decoded as this type, the
        /// value is `underlying` of the error with code `status`. Of the body of a refused download or event stream, and of a
        /// refused `bodyParts(_:)` or `lines(_:)`, the first 64 KiB are decoded. The error of `events(_:).validate(statusCodes:)`
        /// has no body, because it ends the request at the head.
        public var failure: (any (Decodable & Error).Type)?
        /// The hosts that the client contacts only over https; `nil` for none.
        public var hsts: HSTSStore?
        /// The monitors that observe all requests, in this order; see ``ClientEvent``.
        public var monitors: [any ClientMonitor] = []

        public init() {}
    }

    /// The configuration that the client was made with.
    public let configuration: Configuration
    /// The interceptors. The client asks them in this order, adapters and retriers alike.
    public let interceptors: [any RequestInterceptor]
    /// The layers over the transport, the outermost first.
    public let layers: [any TransportLayer]
    /// The clock of deadlines and retry delays.
    public let scheduler: any SchedulerType
    /// The transport under the layers.
    let transport: any Transport
    /// The transport with all layers over it.
    let layered: any Transport
    /// Whether the client's transfer options are the defaults, which the transport uses anyway.
    private let hasDefaultTransfer: Bool
    let monitor: ClientMonitors?
    let coding: ClientCoding
    /// Shared by all clients that are derived from one another.
    let activity: ClientActivity

    /// Makes a client over any transport, for tests and for custom transports. `FreshetRuntime/client` is a client over
    /// libcurl.
    ///
    /// - Parameters:
    ///   - transport: carries the requests.
    ///   - scheduler: the clock of deadlines and retry delays.
    ///   - layers: the layers over the transport, the outermost first.
    ///   - interceptors: asked in this order, adapters and retriers alike.
    ///   - configuration: the settings for requests that do not set their own.
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
        coding = ClientCoding(configuration)
        monitor = configuration.monitors.isEmpty ? nil : ClientMonitors(configuration.monitors)
    }

    /// Returns a client with the same transport and clock, and with other interceptors, other layers or another configuration.
    /// Layers that are not replaced are shared, with their state.
    ///
    /// - Parameters:
    ///   - interceptors: replace the whole list, and with it an authentication that stands there; `nil` keeps the list. To add
    ///     one, put it before or after ``interceptors``.
    ///   - layers: replace all layers; `nil` keeps them.
    ///   - configuration: replaces the configuration; `nil` keeps it.
    public func with(
        interceptors: [any RequestInterceptor]? = nil, layers: [any TransportLayer]? = nil,
        configuration: Configuration? = nil
    ) -> HTTPClient {
        HTTPClient(
            transport: transport, layered: layers.map { transport.under($0) } ?? layered, layers: layers ?? self.layers,
            scheduler: scheduler, interceptors: interceptors ?? self.interceptors,
            configuration: configuration ?? self.configuration, activity: activity)
    }

    /// Returns a client over another transport, with the same layers over it.
    package func over(_ replaced: (any Transport) -> any Transport) -> HTTPClient {
        let transport = replaced(transport)
        return HTTPClient(
            transport: transport, layered: transport.under(layers), layers: layers, scheduler: scheduler,
            interceptors: interceptors, configuration: configuration, activity: activity)
    }

    /// Emits everything that happens to `request`. The other ways to send are operators on this stream.
    ///
    /// The stream fails with an ``HTTPClientError``, or with the error of an interceptor. Pausing the subscription stops
    /// reading from the network.
    public func events(_ request: Request) -> Observable<RequestEvent> {
        .trusted(parameters: RequestParameters(request: request.withContentTypeField, client: self)) {
            parameters, observer in
            RequestCall(parameters, for: EventOutput(parameters, observer))
        }
    }

    /// Emits the response with its whole body. A response of any status is delivered; see `validate(statusCodes:)`.
    ///
    /// Fails with `tooLarge` once the body exceeds ``Configuration/maximumBodySize``.
    public func send(_ request: Request) -> Single<Response> {
        .trusted(parameters: RequestParameters(request: request.withContentTypeField, client: self)) {
            parameters, observer in
            RequestCall(parameters, for: ResponseOutput(parameters, observer))
        }
    }
}

extension HTTPClient {
    /// Returns `request` with what the interceptors record when a request begins, such as the session of the user.
    ///
    /// The client does this for each request. For an operation of several requests, call it once, and make all requests from the
    /// result. If the user logs out in between, the next request fails, and does not continue as the next user. The interceptors
    /// are called on the calling thread.
    public func beginning(_ request: Request) -> Request {
        var request = request
        for interceptor in interceptors { interceptor.begin(&request) }
        return request
    }
}

/// The steps of a request. A ``RequestCall`` calls them in this order, once for each attempt and each hop of a redirect.
extension HTTPClient {
    /// 1. The transfer goes through the layers, the outermost first, to the transport.
    ///
    /// - Parameter isOnNewConnection: whether the request takes no kept connection, because one was lost, and the others may have
    ///   ended too.
    func transfer(_ request: Request, isOnNewConnection: Bool, to receiver: any TransferReceiver) -> any Transfer {
        var request = request
        if !hasDefaultTransfer || isOnNewConnection, request.transfer == nil {
            request.transfer = configuration.transfer
        }
        if isOnNewConnection { request.transfer?.freshConnection = true }
        // Without a limit for connecting, a transport shares the time for everything out among the addresses of a host.
        if let transfer = request.transfer, transfer.connectTimeout == nil, request.timeout == nil {
            request.timeout = configuration.timeout
        }
        return layered.transfer(request, to: receiver)
    }

    /// The account of the request, according to all interceptors.
    func account(of request: Request) -> AccountResolution {
        interceptors.reduce(.ready(nil)) { $0.combined(with: $1.account(of: request)) }
    }

    /// 2. When the transport has admitted the request, the adapters make it final, and the monitors add their fields.
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

    /// 3. When the request goes out, interceptors begin to observe the attempt.
    func observe(_ attempt: RequestInFlight, of request: Request) -> (any Disposable)? {
        var all: (any Disposable)?
        for interceptor in interceptors {
            guard let observation = interceptor.observe(attempt, of: request) else { continue }
            all = all.map { Disposables.create($0, observation) } ?? observation
        }
        return all
    }

    /// 4. When the head of a response arrives, the interceptors receive it first.
    func received(_ head: HTTPResponse, for request: Request) {
        configuration.hsts?.learn(head, from: request.url)
        for interceptor in interceptors { interceptor.received(head, for: request) }
    }

    /// 5. Returns how many bytes of the response's body retriers want to see before it is delivered.
    func peekLimit(_ head: HTTPResponse, for request: Request) -> Int {
        var limit = 0
        for interceptor in interceptors {
            if case .body(let wanted) = interceptor.peek(at: head, of: request) { limit = max(limit, wanted) }
        }
        return limit
    }

    /// 6. The first retrier that returns anything but `doNotRetry` decides what follows the attempt.
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
    /// Returns the transport with `layers` over it, the outermost first.
    fileprivate func under(_ layers: [any TransportLayer]) -> any Transport {
        layers.reversed().reduce(self as any Transport) { transport, layer in layer.wrapping(transport) }
    }
}
