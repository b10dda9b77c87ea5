import Freshet

/// The examples of the page of this name.
enum Layers {
    /// Responds for hosts that are switched off, and asks no server.
    struct SwitchedOff: TransportLayer {
        let hosts: Set<String>

        func wrapping(_ transport: any Transport) -> any Transport {
            ObservableTransport { [hosts] request in
                guard hosts.contains(request.url.host) else { return transport.parts(request) }
                return .just(.head(HTTPResponse(status: .serviceUnavailable)))
            }
        }
    }

    static func client(over transport: any Transport, on scheduler: any SchedulerType) -> HTTPClient {
        HTTPClient(transport: transport, scheduler: scheduler, layers: [SwitchedOff(hosts: ["old.example"])])
    }

    static func runtime() throws -> FreshetRuntime {
        var configuration = FreshetRuntime.Configuration()
        configuration.layers = [SwitchedOff(hosts: ["old.example"])]
        return try FreshetRuntime(configuration: configuration)
    }

    static func cachingClient(of runtime: FreshetRuntime, in folder: String) throws -> HTTPClient {
        let store = try DiskCacheStore(at: folder, scheduler: runtime.files)
        return runtime.client.with(layers: [HTTPCache(store: store)])
    }

    static func sparingClient(
        of runtime: FreshetRuntime, _ gate: RefreshGate, _ authenticator: any Authenticator, api: String
    ) throws -> HTTPClient {
        let client = try runtime.client(authenticatedBy: gate, authenticator, origins: [api])
        return client.with(layers: [
            Coalescing(), RateLimit(.fixed(perSecond: 20, burst: 5), scheduler: runtime.scheduler),
        ])
    }

    static func guardedClient(of runtime: FreshetRuntime) -> HTTPClient {
        var settings = CircuitBreaker.Settings()
        settings.consecutiveFailures = 5
        settings.pause = .seconds(10)
        return runtime.client.with(layers: [
            HTTPCache(store: MemoryCacheStore()), Coalescing(),
            CircuitBreaking(settings, scheduler: runtime.scheduler), Bulkhead(limit: 32),
            RateLimit(.learned, scheduler: runtime.scheduler),
        ])
    }

    static func hedgingClient(of runtime: FreshetRuntime) -> HTTPClient {
        let budget = RetryBudget(scheduler: runtime.scheduler)
        return runtime.client.with(layers: [Hedging(budget: budget, scheduler: runtime.scheduler)])
    }

    static func recordingClient(of runtime: FreshetRuntime, at path: String) throws -> HTTPClient {
        let recording = try HTTPRecording(at: path, mode: .replayOrRecord, scheduler: runtime.scheduler)
        return runtime.client.with(layers: [recording])
    }
}
