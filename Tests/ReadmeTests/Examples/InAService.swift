import Freshet
import Logging
import ServiceLifecycle

/// An example of the page of this name; those of the program stand in `Tests/Examples/Service`.
struct Follower: Service {
    let source: EventSource

    func run() async throws {
        for try await event in source.values.cancelOnGracefulShutdown() {
            print(event.data)
        }
    }
}

/// Finishes its work on SIGTERM.
struct Worker: Service {
    let source: EventSource
    let work: @Sendable (ServerSentEvent) async throws -> Void
    let save: @Sendable (String) async throws -> Void

    func run() async throws {
        let stop = ReplaySubject<Void>.create(bufferSize: 1)
        let done = source.take(until: stop).concatMapEager(maxConcurrent: 4) { [work] event in
            Single.create {
                try await work(event)
                return event.id
            }
        }
        try await withGracefulShutdownHandler {
            for try await id in done.values { try await save(id) }
        } onGracefulShutdown: {
            stop.onNext(())
        }
    }
}

/// Logs in whenever the gate demands it.
struct LoginKeeper: Service {
    private let demands: ConnectableObservable<LoginRequired>
    private let connection: any Disposable
    private let logIn: @Sendable () async throws -> Void

    init(_ gate: RefreshGate, logIn: @escaping @Sendable () async throws -> Void) {
        demands = gate.loginRequired.replay(1)
        connection = demands.connect()
        self.logIn = logIn
    }

    func run() async throws {
        defer { connection.dispose() }
        for try await _ in demands.values.cancelOnGracefulShutdown() {
            // The server of the login may be down for a while.
            while (try? await logIn()) == nil, !Task.isCancelled, !Task.isShuttingDownGracefully {
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(10)) }
            }
        }
    }
}

/// Another example of that page.
enum InAService {
    static func waitingClient(
        of runtime: FreshetRuntime, _ store: any CredentialStore, _ authenticator: any Authenticator, api: String,
        logger: Logger
    ) throws -> (client: HTTPClient, asking: any Disposable) {
        var settings = RefreshGate.Settings()
        settings.whenLoginIsRequired = .wait
        let gate = runtime.gate(store: store, authenticator: authenticator, settings: settings)
        let asking = gate.loginRequired.subscribe(onNext: { reason in logger.critical("log in again: \(reason)") })
        let client = try runtime.client(authenticatedBy: gate, authenticator, origins: [api])
        return (client, asking)
    }

    static func show(
        _ poll: Observable<String>, of gate: RefreshGate, _ show: @escaping @Sendable (String) -> Void
    ) async throws {
        let stop = ReplaySubject<Void>.create(bufferSize: 1)
        try await withGracefulShutdownHandler {
            for try await item in poll.take(until: stop).values { show(item) }
        } onGracefulShutdown: {
            stop.onNext(())
            gate.stopWaitingForLogin()
        }
    }
}
