public import FreshetAuth
public import FreshetCore
public import FreshetCurl
public import FreshetHTTP
public import FreshetLoop

/// Creates and owns the parts of an HTTP client: a loop with its thread, a libcurl transport on that loop, and the clients over
/// the transport. It is the one place where the modules are combined. A program needs one runtime, and ends it with
/// ``shutdown()``.
public final class FreshetRuntime: Sendable {
    /// The configuration of a runtime: the limits of requests, the connections and the monitors.
    public struct Configuration: Sendable {
        /// The limits and timeouts of requests.
        public var client = HTTPClient.Configuration()
        /// The limits and timeouts of refreshes. They are separate because a limit that suits one request must not cut
        /// off a refresh: all other requests wait for it, and the server does not accept the same refresh a second time.
        public var refresh = HTTPClient.Configuration()
        /// The layers over the transport of ``FreshetRuntime/client``, the outermost first. Refreshes do not pass
        /// through them.
        public var layers: [any TransportLayer] = []
        /// The layers over the transport of ``FreshetRuntime/refreshClient``, such as a recording.
        public var refreshLayers: [any TransportLayer] = []
        /// Connections, trust and proxies.
        public var transport = CurlTransport.Configuration()
        /// The connections of ``FreshetRuntime/refreshClient``, for a token endpoint that is reached in another way than the API,
        /// which has a Unix domain socket for example. By default they are as ``transport`` says.
        public var refreshTransport: CurlTransport.Configuration?
        /// Receives the refreshes and revocations of the gates.
        public var refreshMetrics = RefreshMetrics()
        /// The monitors of all requests, including refreshes: ``RequestLog``, ``RequestMetrics``, ``RequestTracing``
        /// and any other `ClientMonitor`. They are called after the monitors of `client` and of `refresh`.
        public var monitors: [any ClientMonitor] = []
        /// The number of loops, each with its own thread, that carry the requests of ``FreshetRuntime/client``. More
        /// than one helps where one core is not enough. See `LoopGroup.cores`.
        public var loops = 1
        /// How long running requests may continue after a service group begins to shut down.
        public var gracePeriod: Duration = .seconds(30)

        public init() {}
    }

    /// The first loop. Nearly all programs have only this one.
    public let loop: Loop
    /// All loops that carry requests.
    public let loops: [Loop]
    /// Runs work on ``loop``, in a later turn or after a delay.
    public let scheduler: LoopScheduler
    /// Runs blocking work off the loop, one piece after the other.
    public let blocking: SerialScheduler
    /// Sends requests as they are, without interceptors. See `HTTPClient.with(interceptors:configuration:)`.
    public let client: HTTPClient
    /// Sends refreshes, over connections of its own. A refresh must not wait behind requests that wait for it.
    public let refreshClient: HTTPClient

    let gracePeriod: Duration
    private let transports: [CurlTransport]
    private let ownsLoops: Bool
    private let refreshMetrics: RefreshMetrics
    /// The timer that reports the connections to ``RequestMetrics``.
    private let poolReports = CompositeDisposable()
    private let disposeBag = DisposeBag()
    private let gates = Locked<[WeakGate]>([])

    /// Creates a runtime with its own loops and threads, which run until ``shutdown()``.
    ///
    /// - Throws: `LoopError` if the process has no descriptors or threads left.
    public convenience init(configuration: Configuration = Configuration()) throws {
        if configuration.loops > 1 {
            let group = try LoopGroup(count: configuration.loops)
            self.init(on: group.loops[0], group, ownsLoops: true, configuration: configuration)
        } else {
            self.init(on: try Loop(), nil, ownsLoops: true, configuration: configuration)
        }
    }

    /// Creates a runtime on a loop that the caller owns, such as an adopted loop; see `Loop(adopting:)`. The caller
    /// shuts the loop down after the runtime.
    public convenience init(on loop: Loop, configuration: Configuration = Configuration()) {
        self.init(on: loop, nil, ownsLoops: false, configuration: configuration)
    }

    private init(on loop: Loop, _ group: LoopGroup?, ownsLoops: Bool, configuration: Configuration) {
        self.loop = loop
        self.ownsLoops = ownsLoops
        loops = group?.loops ?? [loop]
        scheduler = LoopScheduler(loop)
        blocking = SerialScheduler(over: BlockingScheduler(on: loop))
        let (transport, parts) = Self.transport(on: loop, group, configuration: configuration.transport)
        let refreshTransport = CurlTransport(
            loop: loop, configuration: configuration.refreshTransport ?? configuration.transport)
        transports = parts + [refreshTransport]
        let clock: any SchedulerType = group.map { LoopGroupScheduler($0) } ?? scheduler
        refreshMetrics = configuration.refreshMetrics
        gracePeriod = configuration.gracePeriod
        let monitors = configuration.monitors
        client = HTTPClient(
            transport: transport, scheduler: clock, layers: configuration.layers,
            configuration: configuration.client.monitored(by: monitors))
        refreshClient = HTTPClient(
            transport: refreshTransport, scheduler: scheduler, layers: configuration.refreshLayers,
            configuration: configuration.refresh.monitored(by: monitors))
        for case let metrics as RequestMetrics in monitors { reportConnections(metrics) }
    }

    /// How busy the connections of both clients are at this moment. Can be read on any thread.
    public var gauges: ConnectionPoolStatistics { Self.sum(of: transports) }

    private static func sum(of transports: [CurlTransport]) -> ConnectionPoolStatistics {
        transports.map(\.gauges).reduce(into: ConnectionPoolStatistics()) { sum, gauges in
            sum.open += gauges.open
            sum.idle += gauges.idle
            sum.queued += gauges.queued
            sum.running += gauges.running
        }
    }

    private func reportConnections(_ metrics: RequestMetrics) {
        let period = metrics.connectionsPeriod
        poolReports.disposed(by: disposeBag)
        let timer = scheduler.schedulePeriodic((), startAfter: period, period: period) { [transports] _ in
            let gauges = Self.sum(of: transports)
            metrics.record(active: gauges.open - gauges.idle, idle: gauges.idle)
        }
        // At its end the runtime has no connections.
        _ = poolReports.insert(Disposables.create(timer, Disposables.create { metrics.record(active: 0, idle: 0) }))
    }

    /// Creates one transport over all loops. Also returns the transport of each loop.
    private static func transport(
        on loop: Loop, _ group: LoopGroup?, configuration: CurlTransport.Configuration
    ) -> (any Transport, [CurlTransport]) {
        guard let group else {
            let transport = CurlTransport(loop: loop, configuration: configuration)
            return (transport, [transport])
        }
        let transport = CurlGroupTransport(group: group, configuration: configuration)
        return (transport, transport.transports)
    }

    /// Runs file work off the loop, several pieces at once. See `HTTPClient.download(_:to:options:on:)`.
    public var files: BlockingScheduler { BlockingScheduler(on: loop) }

    /// Creates a client that puts the gate's credential on requests to `origins`. The client sends a request again if
    /// the server has refused it because the credential had expired.
    ///
    /// - Parameters:
    ///   - gate: the gate that has the credential.
    ///   - authenticator: the authenticator that the gate was created with.
    ///   - origins: the origins, as `https://host:port`. Other origins never receive the credential.
    ///   - pathPrefix: the path below which requests to `origins` receive the credential, such as `/v2`; by default all do.
    ///   - retryDelay: how long a refused request waits before it is sent again, in addition to the time of the refresh.
    ///   - allowsPlainHTTP: whether the credential may be sent over plain http to origins other than this machine.
    ///   - interceptors: the interceptors that run before the credential is put on.
    /// - Throws: `HTTPClientError` with code `invalidRequest` if one of `origins` is not a valid origin, or if there is none.
    public func client(
        authenticatedBy gate: RefreshGate, _ authenticator: any Authenticator, origins: [String],
        pathPrefix: String = "/", retryDelay: Duration = .zero, allowsPlainHTTP: Bool = false,
        interceptors: [any RequestInterceptor] = []
    ) throws -> HTTPClient {
        guard !origins.isEmpty else {
            throw HTTPClientError(
                .invalidRequest, phase: .preparing,
                message: "the list of origins is empty, so no request has the credential",
                recoverySuggestion: "list the origins that it may be sent to", isUnsent: true)
        }
        let authentication = AuthenticationInterceptor(
            gate: gate, authenticator: authenticator, origins: Set(try origins.map { try Origin($0) }),
            pathPrefix: pathPrefix, retryDelay: retryDelay, allowsPlainHTTP: allowsPlainHTTP)
        return client.with(interceptors: interceptors + [authentication])
    }

    /// Creates a gate on this loop's clock. The gate's refreshes and revocations go to the metrics backend; see
    /// ``RefreshMetrics``.
    public func gate(
        store: any CredentialStore, authenticator: any Authenticator,
        settings: RefreshGate.Settings = RefreshGate.Settings()
    ) -> RefreshGate {
        let gate = RefreshGate(store: store, authenticator: authenticator, scheduler: scheduler, settings: settings)
        // The subscriptions end with the gate, which emits until then.
        _ = gate.refreshes.subscribe(onNext: { [refreshMetrics] in refreshMetrics.record($0) })
        _ = gate.revocations.subscribe(onNext: { [refreshMetrics] in refreshMetrics.record($0) })
        gates.withLock { gates in
            gates.removeAll { $0.gate == nil }
            gates.append(WeakGate(gate: gate))
        }
        return gate
    }

    private struct WeakGate: Sendable {
        weak let gate: RefreshGate?
    }

    /// Creates a store in the file at `path`. The store reads and writes the file off the loop, and does not wait for
    /// other stores.
    public func fileStore(_ path: String) -> FileStore { FileStore(path: path, scheduler: storeScheduler) }

    /// Creates a scheduler for the blocking calls of one store. The calls run off the loop and do not wait for those of
    /// other stores.
    public var storeScheduler: SerialScheduler { SerialScheduler(over: BlockingScheduler(on: loop)) }

    /// Cancels all requests in flight, closes all connections, ends the loops and waits for their threads. Calls of a gate that
    /// wait fail with code `cancelled`. A store of this runtime responds no more.
    ///
    /// Can be called again, and from any thread except those of its own loops and those that run its blocking work, such
    /// as the calls of its stores. If the caller owns the loop, the method leaves the loop and the gates running, and can be
    /// called on it too.
    public func shutdown() {
        let clients = [client, refreshClient]
        // Runs on the loop, because the other events of these requests and the reports come there.
        _ = loop.executeAndWait { [poolReports] in
            poolReports.dispose()
            clients.forEach { $0.endWaiting() }
        }
        // Where the loop has ended before, nothing runs on it.
        poolReports.dispose()
        transports.forEach { $0.shutdown() }
        guard ownsLoops else { return }
        loops.forEach { $0.shutdown() }
        for gate in livingGates { gate.shutdown() }
    }

    /// Cancels the requests of ``client``, and leaves those of ``refreshClient`` running.
    func cancelRequests() {
        _ = loop.executeAndWait { [client] in client.endWaiting() }
        // The last transport is that of the refreshes.
        transports.dropLast().forEach { $0.shutdown() }
    }

    var livingGates: [RefreshGate] { gates.withLock { $0 }.compactMap(\.gate) }
}

extension HTTPClient.Configuration {
    fileprivate func monitored(by monitors: [any ClientMonitor]) -> Self {
        var configuration = self
        configuration.monitors += monitors
        return configuration
    }
}
