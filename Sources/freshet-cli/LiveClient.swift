import Dispatch
import Foundation
import Freshet

/// The client that the options describe, and the runtime that carries it.
struct LiveClient {
    /// How long ``shutdown()`` waits for the validation of a stale response, in seconds.
    private static let patience = 5.0

    let http: HTTPClient
    private let cache: HTTPCache?
    var hasCache: Bool { cache != nil }
    let profile: Profile?
    var missingCredential: MissingCredentialNote? { profile.map(MissingCredentialNote.init) }
    /// The gate to the profile's credential, if there is a profile.
    let gate: RefreshGate?
    private let runtime: FreshetRuntime
    /// Emits when the command ends.
    private let ending = ReplaySubject<Void>.create(bufferSize: 1)
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
    ///   - notesRetries: whether a note on standard error tells of each long wait before a retry.
    ///   - layers: the options for the layers between the requests and the network.
    ///   - adjust: makes further changes to the configuration.
    init(
        _ options: RequestOptions, _ network: NetworkOptions, _ profileOptions: ProfileOptions,
        without omitted: [HTTPField.Name] = [], concurrency: Int = 1,
        whenStepUpIsRequired stepUp: StepUpPolicy = .deliver, layers: LayerOptions? = nil,
        notesRetries: Bool = false,
        adjust: (inout FreshetRuntime.Configuration) -> Void = { _ in }
    ) throws {
        var profile = try profileOptions.profile()
        for name in omitted { profile?.headers[name] = nil }
        var configuration = try Self.configuration(options, network, concurrency: concurrency)
        hsts = try layers?.hstsStore(profile)
        configuration.client.hsts = hsts?.store
        let recording = try layers?.recording(masking: profile?.secrets ?? [])
        if let recording, recording.mode != .replay { profile?.isRecorded = true }
        self.profile = profile
        configuration.refreshLayers = recording.map { [$0] } ?? []
        adjust(&configuration)
        if let profile { configuration.confineUnixSocket(to: profile.origins) }
        runtime = try FreshetRuntime(configuration: configuration)
        let authentication = try profile?.authentication(
            on: runtime, whenStepUpIsRequired: stepUp, isReplayed: recording?.mode == .replay,
            until: ending.asObservable())
        gate = authentication?.gate
        if let gate, let profile {
            if stepUp == .deliver { gate.noteStepUp(for: profile) }
            if case .memory = profile.store, profile.needsLogin { gate.noteLossOfMemory() }
        }
        let timeout = runtime.client.configuration.timeout
        let layers = try (layers?.layers(profile, on: runtime, timeout: timeout) ?? []) + configuration.refreshLayers
        cache = layers.lazy.compactMap { $0 as? HTTPCache }.first
        var interceptors: [any RequestInterceptor] = authentication.map { [$0] } ?? []
        // Behind the credential, which takes precedence over a field of the same name.
        if let fields = profile.flatMap(ProfileFields.init) { interceptors.append(fields) }
        if cache != nil, let account = ConnectionAccount(network) { interceptors.append(account) }
        let retries = notesRetries ? options.retries.map(NotedRetries.init) : options.retries
        http = runtime.client.with(interceptors: interceptors + retries, layers: layers)
    }

    private static func configuration(
        _ options: RequestOptions, _ network: NetworkOptions, concurrency: Int
    ) throws -> FreshetRuntime.Configuration {
        var configuration = FreshetRuntime.Configuration()
        // Only the options limit how long a request may take, and how large its response may be.
        configuration.client.transfer.connectTimeout = options.connectTimeout?.duration
        configuration.client.transfer.idleTimeout = nil
        configuration.client.maximumBodySize = .max
        if let timeout = options.timeout { configuration.client.timeout = timeout.duration }
        if options.http2 { configuration.client.transfer.version = .http2 }
        if options.http1 { configuration.client.transfer.version = .http1 }
        if let trustRoots = options.trustRoots { configuration.transport.tls.caFile = trustRoots }
        configuration.transport.pool.maximumConnectionsPerOrigin = concurrency
        configuration.transport.pool.maximumConnections = concurrency
        try network.apply(to: &configuration.transport)
        return configuration
    }

    /// Registers the end of the runtime, which runs after the command has printed its outcome. It waits for a while for the
    /// validation of a stale response, and for a refresh that is under way: the refresh token is spent, and without the response
    /// the session would be lost. A grant without a login has no session to lose. A note says so if the refreshed credential
    /// can't be stored. Ctrl-C ends the wait.
    func shutdown() {
        if let hsts, hsts.store.hasChanged {
            do {
                try hsts.store.write(to: hsts.path)
            } catch {
                Console.report("note: \(error.commandLineMessage)")
            }
        }
        ShutdownHooks.shared.add { [cache, gate, runtime, ending] in
            ending.onNext(())
            if let cache { Self.wait(for: cache) }
            if let gate { Self.wait(for: gate) }
            runtime.shutdown()
        }
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
            // No session is lost, and the next command asks for a token of its own.
            guard gate.settings.needsLogin else { return }
            report("note: a credential is being refreshed or stored; freshet waits, because it would be lost otherwise")
            if settled.wait(timeout: .now() + gate.settings.deadline / .seconds(1)) == .timedOut {
                report(
                    "note: the refresh has not ended; if the server has processed it, the credential is lost: "
                        + "log in with freshet login --profile \(CommandArguments.profile)")
            }
        }
        if let error = failure.withLock({ $0 }) {
            report("note: the refreshed credential is lost, so log in again; \(error.commandLineMessage)")
        }
    }
}

extension FreshetRuntime.Configuration {
    /// Lets refreshes and discovery use the socket for `origins` alone. The program behind it is trusted with the credential of
    /// these, and other servers get their tokens themselves.
    fileprivate mutating func confineUnixSocket(to origins: [Origin]) {
        guard let path = transport.addresses.unixSocket else { return }
        var refreshTransport = transport
        refreshTransport.addresses.unixSocket = nil
        for origin in origins { refreshTransport.addresses.unixSockets[origin] = path }
        self.refreshTransport = refreshTransport
    }
}
