import Dispatch
import Foundation
import Freshet

/// The client that the options describe, and the runtime that carries it.
struct LiveClient {
    /// How long ``shutdown()`` waits for a refresh or a write after it has written a note, in seconds. A working token endpoint
    /// responds sooner.
    private static let patience = 5.0

    let http: HTTPClient
    private let cache: HTTPCache?
    var hasCache: Bool { cache != nil }
    let profile: Profile?
    var missingCredential: MissingCredentialNote? { profile.map(MissingCredentialNote.init) }
    /// The gate to the profile's credential, if there is a profile.
    let gate: RefreshGate?
    private let runtime: FreshetRuntime
    private let hsts: (store: HSTSStore, path: String)?
    /// The scheduler that writes files.
    var files: BlockingScheduler { runtime.files }

    /// The loops that deliver all events.
    var loops: [Loop] { runtime.loops }
    /// The first loop, which reads and writes descriptors.
    var loop: Loop { runtime.loop }

    /// - Parameters:
    ///   - omitted: the fields of the profile's `headers` that are not sent.
    ///   - stepUp: what a request does if its response demands another login. With `deliver`, a note on standard error says so.
    ///   - concurrency: how many requests may be on the wire at once, in total and to one origin.
    ///   - layers: the options for the layers between the requests and the network.
    ///   - adjust: makes further changes to the configuration.
    init(
        _ options: RequestOptions, _ network: NetworkOptions, _ profileOptions: ProfileOptions,
        without omitted: [HTTPField.Name] = [], maximumBodySize: Int = .max, concurrency: Int = 1,
        whenStepUpIsRequired stepUp: StepUpPolicy = .deliver, layers: LayerOptions? = nil,
        adjust: (inout FreshetRuntime.Configuration) -> Void = { _ in }
    ) throws {
        var profile = try profileOptions.profile()
        for name in omitted { profile?.headers[name] = nil }
        self.profile = profile
        var configuration = FreshetRuntime.Configuration()
        configuration.client.maximumBodySize = maximumBodySize
        // Only the options limit how long a request may take.
        configuration.client.transfer.connectTimeout = options.connectTimeout?.duration
        configuration.client.transfer.idleTimeout = nil
        if let timeout = options.timeout { configuration.client.timeout = timeout.duration }
        if options.http2 { configuration.client.transfer.version = .http2 }
        if options.http1 { configuration.client.transfer.version = .http1 }
        if let trustRoots = options.trustRoots { configuration.transport.tls.caFile = trustRoots }
        configuration.transport.pool.maximumConnectionsPerOrigin = concurrency
        configuration.transport.pool.maximumConnections = concurrency
        try network.apply(to: &configuration.transport)
        hsts = try layers?.hstsStore(profile)
        configuration.client.hsts = hsts?.store
        let recording = try layers?.recording()
        configuration.refreshLayers = recording.map { [$0] } ?? []
        adjust(&configuration)
        let runtime = try FreshetRuntime(configuration: configuration)
        self.runtime = runtime
        let authentication = try profile?.authentication(
            on: runtime, whenStepUpIsRequired: stepUp, isReplayed: recording?.mode == .replay)
        gate = authentication?.gate
        if let name = profileOptions.name, stepUp == .deliver {
            let needsLogin = profile?.needsLogin != false
            _ = gate?.stepUpRequired.take(1).subscribe(onNext: { demanded in
                guard needsLogin else {
                    return Console.report(
                        "step_up_required: the server demands \(demanded); ask for it with refresh.scope in the profile"
                    )
                }
                let scopes = demanded.scopes.joined(separator: " ")
                let unnamed = demanded.demandsScopes ? " --scope SCOPES" : ""
                let option = scopes.isEmpty ? unnamed : " --scope \(Self.quotedForShell(scopes))"
                let command = "freshet login --profile \(name) --step-up\(option)"
                Console.report("step_up_required: the server demands \(demanded); log in with \(command)")
            })
        }
        if case .memory? = profile?.store {
            _ = gate?.loginRequired.take(1).subscribe(onNext: { _ in
                // Runs after the error is printed, which says that a login is required.
                ShutdownHooks.shared.add {
                    Console.report(
                        "note: the profile's store is memory:, which is empty in each new process; "
                            + "write file:PATH there, and log in with freshet login --profile \(CommandArguments.profile)"
                    )
                }
            })
        }
        var interceptors: [any RequestInterceptor] = authentication.map { [$0] } ?? []
        if options.retry > 0 {
            var policy = RetryPolicy(limit: options.retry)
            policy.retryAfterJitter = 0.1
            policy.includesAllMethods = options.retryAll
            interceptors.append(policy)
        }
        let timeout = runtime.client.configuration.timeout
        let layers = try (layers?.layers(profile, on: runtime, timeout: timeout) ?? []) + configuration.refreshLayers
        cache = layers.lazy.compactMap { $0 as? HTTPCache }.first
        http = runtime.client.with(interceptors: interceptors, layers: layers)
    }

    /// Registers the end of the runtime, which runs after the command has printed its outcome. It waits for a while for the
    /// validation of a stale response, and for a refresh that is under way: the refresh token is spent, and without the response
    /// the session would be lost. A note says so if the refreshed credential can't be stored. Ctrl-C ends the wait.
    func shutdown() {
        if let hsts, hsts.store.hasChanged {
            do {
                try hsts.store.write(to: hsts.path)
            } catch {
                Console.report("note: \(error.commandLineMessage)")
            }
        }
        ShutdownHooks.shared.add { [cache, gate, runtime] in
            if let cache { Self.wait(for: cache) }
            if let gate { Self.wait(for: gate) }
            runtime.shutdown()
        }
    }

    /// The text as one word for a shell, which runs no command in it: the text comes from a server.
    private static func quotedForShell(_ text: String) -> String {
        "'\(text.replacing("'", with: #"'\''"#))'"
    }

    private static func wait(for cache: HTTPCache) {
        let settled = DispatchSemaphore(value: 0)
        let waiting = cache.settled().subscribe { _ in settled.signal() }
        _ = settled.wait(timeout: .now() + patience)
        waiting.dispose()
    }

    /// - Parameter report: receives the notes.
    static func wait(for gate: RefreshGate, report: (String) -> Void = Console.report) {
        let settled = DispatchSemaphore(value: 0)
        let failure = Locked<(any Error)?>(nil)
        let waiting = gate.settled().subscribe { result in
            if case .failure(let error) = result { failure.withLock { $0 = error } }
            settled.signal()
        }
        defer { waiting.dispose() }
        if settled.wait(timeout: .now() + 0.1) == .timedOut {
            report("note: a credential is being refreshed or stored; freshet waits, because it would be lost otherwise")
            _ = settled.wait(timeout: .now() + patience)
        }
        if let error = failure.withLock({ $0 }) {
            report("note: the refreshed credential is lost, so log in again; \(error.commandLineMessage)")
        }
    }
}
