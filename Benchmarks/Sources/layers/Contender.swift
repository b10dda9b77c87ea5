import Freshet

/// A client with layers, or without.
struct Contender {
    let name: String
    private let make: @Sendable (FreshetRuntime) -> HTTPClient

    init(_ name: String, _ make: @escaping @Sendable (FreshetRuntime) -> HTTPClient = { $0.client }) {
        self.name = name
        self.make = make
    }

    /// Has `body` use the client. Its connections are its own, and as many as it likes.
    func run<Result>(_ body: (HTTPClient, FreshetRuntime) async throws -> Result) async throws -> Result {
        var configuration = FreshetRuntime.Configuration()
        configuration.transport.pool.maximumConnections = 2000
        configuration.transport.pool.maximumConnectionsPerOrigin = 2000
        let runtime = try FreshetRuntime(configuration: configuration)
        defer { runtime.shutdown() }
        return try await body(make(runtime), runtime)
    }
}

/// The median of what `values` have to `base`, each to that of the same round.
func ratio(_ values: [Double], to base: [Double]) -> Double {
    median(zip(values, base).map { $0 / $1 })
}

func median(_ values: [Double]) -> Double {
    values.sorted()[values.count / 2]
}
