import Freshet

/// The client as the options want it, with what it stands on.
struct LiveClient {
    let http: HTTPClient
    /// The gate to the profile's credential, if there is a profile.
    let gate: RefreshGate?
    private let runtime: Runtime

    init(_ options: RequestOptions, maximumBodySize: Int = .max) throws {
        let profile = try options.profile.profile()
        var configuration = Runtime.Configuration()
        configuration.client.maximumBodySize = maximumBodySize
        // --timeout alone says how long things may take.
        configuration.client.transfer.connectTimeout = nil
        configuration.client.transfer.idleTimeout = nil
        if let timeout = options.timeout { configuration.client.timeout = timeout.duration }
        if options.http2 { configuration.client.transfer.version = .http2 }
        if let trustRoots = options.trustRoots { configuration.transport.caFile = trustRoots }
        let runtime = try Runtime(configuration: configuration)
        self.runtime = runtime
        let authentication = try profile?.authentication(on: runtime)
        gate = authentication?.gate
        var interceptors: [any RequestInterceptor] = authentication.map { [$0] } ?? []
        if options.retry > 0 {
            var policy = RetryPolicy(limit: options.retry)
            policy.includesAllMethods = options.retryAll
            interceptors.append(policy)
        }
        http = runtime.client.with(interceptors: interceptors)
    }

    func shutdown() {
        runtime.shutdown()
    }
}
