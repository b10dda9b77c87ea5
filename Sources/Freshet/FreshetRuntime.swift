public import FreshetAuth
public import FreshetCore
public import FreshetCurl
public import FreshetHTTP
public import FreshetLoop

/// A loop with its thread, libcurl on it, and everything that a client needs of the two: the one place where the modules
/// meet. One for a program is right; end it with ``shutdown()``.
public final class FreshetRuntime: Sendable {
    /// What a runtime is made with: limits, connections, and who watches.
    public struct Configuration: Sendable {
        /// Limits and timeouts of requests.
        public var client = HTTPClient.Configuration()
        /// The same of refreshes: a limit that is right for one request must not cut off what all the others wait for, and
        /// what the server won't do a second time.
        public var refresh = HTTPClient.Configuration()
        /// What stands over the transport of ``FreshetRuntime/client``, the outermost first. Refreshes go without.
        public var layers: [any TransportLayer] = []
        /// Connections, trust and proxies.
        public var transport = CurlTransport.Configuration()
        /// Who is told of the refreshes and revocations of the gates.
        public var refreshMetrics = RefreshMetrics()
        /// Who is told what happens to all requests, refreshes too: ``RequestLog``, ``RequestMetrics``, ``RequestTracing``
        /// and what else is a `ClientMonitor`. After those of `client` and of `refresh`.
        public var monitors: [any ClientMonitor] = []
        /// How many loops, each with a thread, carry the requests of ``FreshetRuntime/client``: more than one where one core is not
        /// enough. See `LoopGroup.cores`.
        public var loops = 1
        /// How long requests that are running may go on when a service group shuts down.
        public var gracePeriod: Duration = .seconds(30)

        public init() {}
    }

    /// The first, and in nearly all programs the only one.
    public let loop: Loop
    /// All that requests are carried on.
    public let loops: [Loop]
    /// Runs work on the loop, now or later.
    public let scheduler: LoopScheduler
    /// Runs work that blocks off the loop, one piece after the other.
    public let blocking: SerialScheduler
    /// Sends requests as they are, without interceptors; see `HTTPClient.with(interceptors:configuration:)`.
    public let client: HTTPClient
    /// The same over connections of its own: for refreshing, which must not wait behind requests that wait for it.
    public let refreshClient: HTTPClient

    let gracePeriod: Duration
    private let transports: [CurlTransport]
    private let ownsLoops: Bool
    private let refreshMetrics: RefreshMetrics
    /// What tells of the connections from time to time.
    private let telling = CompositeDisposable()
    private let told = DisposeBag()

    /// A runtime with loops and threads of its own, which last until `shutdown()`.
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

    /// On a loop that stays the caller's, who shuts it down after the runtime; such as one that was adopted, see
    /// `Loop(adopting:)`.
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
        let refreshTransport = CurlTransport(loop: loop, configuration: configuration.transport)
        transports = parts + [refreshTransport]
        let clock: any SchedulerType = group.map { LoopGroupScheduler($0) } ?? scheduler
        refreshMetrics = configuration.refreshMetrics
        gracePeriod = configuration.gracePeriod
        let monitors = configuration.monitors
        client = HTTPClient(
            transport: transport, scheduler: clock, layers: configuration.layers,
            configuration: configuration.client.monitored(by: monitors))
        refreshClient = HTTPClient(
            transport: refreshTransport, scheduler: scheduler,
            configuration: configuration.refresh.monitored(by: monitors))
        for case let metrics as RequestMetrics in monitors { reportConnections(metrics) }
    }

    private func reportConnections(_ metrics: RequestMetrics) {
        let period = metrics.connectionsPeriod
        telling.disposed(by: told)
        let timer = scheduler.schedulePeriodic((), startAfter: period, period: period) { [transports] _ in
            let gauges = transports.map(\.gauges)
            let (open, idle) = (gauges.reduce(0) { $0 + $1.open }, gauges.reduce(0) { $0 + $1.idle })
            metrics.record(active: open - idle, idle: idle)
        }
        _ = telling.insert(timer)
    }

    /// One for all loops, and those of each.
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

    /// Runs work on files off the loop, several pieces at once; see `HTTPClient.download(_:to:options:on:)`.
    public var files: BlockingScheduler { BlockingScheduler(on: loop) }

    /// A client for the gate's origins: it puts the gate's credential on requests to them, and repeats those that were
    /// refused because it had ended.
    ///
    /// - Parameters:
    ///   - gate: has the credential.
    ///   - authenticator: the one that the gate was made with.
    ///   - origins: as `https://host:port`; nobody else gets the credential.
    ///   - retryDelay: what a refused request waits before it is repeated, beyond the refresh.
    ///   - allowsPlainHTTP: whether the credential may go over plain http to origins that are not this machine.
    ///   - interceptors: asked before the credential is put on.
    /// - Throws: `HTTPClientError` with code `invalidRequest` if an origin is none.
    public func client(
        authenticatedBy gate: RefreshGate, _ authenticator: any Authenticator, origins: [String],
        retryDelay: Duration = .zero, allowsPlainHTTP: Bool = false, interceptors: [any RequestInterceptor] = []
    ) throws -> HTTPClient {
        let authentication = AuthenticationInterceptor(
            gate: gate, authenticator: authenticator, origins: Set(try origins.map { try Origin($0) }),
            retryDelay: retryDelay, allowsPlainHTTP: allowsPlainHTTP)
        return client.with(interceptors: interceptors + [authentication])
    }

    /// A gate on this loop's clock, whose refreshes and revocations the metrics backend hears of; see ``RefreshMetrics``.
    public func gate(
        store: any CredentialStore, authenticator: any Authenticator,
        settings: RefreshGate.Settings = RefreshGate.Settings()
    ) -> RefreshGate {
        let gate = RefreshGate(store: store, authenticator: authenticator, scheduler: scheduler, settings: settings)
        // They go with the gate, which emits until then.
        _ = gate.refreshes.subscribe(onNext: { [refreshMetrics] in refreshMetrics.record($0) })
        _ = gate.revocations.subscribe(onNext: { [refreshMetrics] in refreshMetrics.record($0) })
        return gate
    }

    /// A store in the file at `path`, read and written off the loop, and waiting for no other.
    public func fileStore(_ path: String) -> FileStore { FileStore(path: path, scheduler: storeScheduler) }

    /// Runs the blocking calls of one store, off the loop and behind no other store's.
    public var storeScheduler: SerialScheduler { SerialScheduler(over: BlockingScheduler(on: loop)) }

    /// Cancels what is in flight, closes all connections, ends the loops and waits for their threads. Can be called again,
    /// from any thread but theirs; on a loop that stays the caller's, from that too.
    public func shutdown() {
        telling.dispose()
        let clients = [client, refreshClient]
        // Where their events come at other times too.
        _ = loop.executeAndWait { clients.forEach { $0.endWaiting() } }
        transports.forEach { $0.shutdown() }
        if ownsLoops { loops.forEach { $0.shutdown() } }
    }
}

extension HTTPClient.Configuration {
    fileprivate func monitored(by monitors: [any ClientMonitor]) -> Self {
        var configuration = self
        configuration.monitors += monitors
        return configuration
    }
}
