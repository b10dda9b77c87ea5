import FreshetCore
import FreshetHTTP
public import ServiceLifecycle

extension FreshetRuntime: Service {
    /// Runs until the service group shuts down gracefully. Then shuts down as ``shutdown(gracePeriod:)`` does, with the
    /// configuration's grace period. A cancelled task shuts down at once.
    ///
    /// A service group ends its services in reverse order, so services that send requests come after the runtime.
    /// ```swift
    /// let group = ServiceGroup(
    ///     services: [runtime, worker], gracefulShutdownSignals: [.sigterm], logger: logger)
    /// try await group.run()
    /// ```
    public func run() async throws {
        try? await gracefulShutdown()
        await shutdown(gracePeriod: gracePeriod)
    }

    /// Shuts down gracefully: starts no more requests, ends event streams, and gives the other running requests up to
    /// `gracePeriod` to finish, including their retries and refreshes, and gates to store what they have received. Then cancels
    /// the remaining requests and ends everything as ``shutdown()`` does.
    ///
    /// A request that is sent meanwhile fails with `cancelled`. A cancelled task does not wait for the grace period.
    /// Returns when everything is closed. Can be called again.
    @concurrent
    public func shutdown(gracePeriod: Duration) async {
        let deadline = scheduler.now.advanced(by: gracePeriod)
        // The refresh client is drained last, because other requests may wait for a refresh.
        for client in [client, refreshClient] {
            let rest = max(.zero, scheduler.now.duration(to: deadline))
            try? await client.drain().timeout(rest, scheduler: scheduler).value
        }
        // What a gate has received, it also stores.
        for gate in livingGates {
            let rest = max(.zero, scheduler.now.duration(to: deadline))
            try? await gate.settled().timeout(rest, scheduler: scheduler).value
        }
        shutdown()
    }
}
