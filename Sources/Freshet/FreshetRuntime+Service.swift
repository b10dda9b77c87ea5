import FreshetCore
import FreshetHTTP
public import ServiceLifecycle

extension FreshetRuntime: Service {
    /// Runs until the service group shuts down gracefully, and then ends as ``shutdown(gracePeriod:)`` does, with the
    /// configuration's grace period; at once if its task is cancelled.
    ///
    /// A group ends its services in the reverse of their order: those that send requests come after the runtime.
    /// ```swift
    /// let group = ServiceGroup(
    ///     services: [runtime, worker], gracefulShutdownSignals: [.sigterm], logger: logger)
    /// try await group.run()
    /// ```
    public func run() async throws {
        try? await gracefulShutdown()
        await shutdown(gracePeriod: gracePeriod)
    }

    /// Ends gracefully: no more requests are taken, event streams are ended, and what else is running has `gracePeriod` to
    /// finish, with its retries and refreshes. Then it is cancelled, and all is ended as by ``shutdown()``.
    ///
    /// Requests that come meanwhile fail with `cancelled`. At once if the task is cancelled. Returns when everything is
    /// closed; can be called again.
    @concurrent
    public func shutdown(gracePeriod: Duration) async {
        let deadline = scheduler.now.advanced(by: gracePeriod)
        // Refreshes last, which the others may wait for.
        for client in [client, refreshClient] {
            let rest = max(.zero, scheduler.now.duration(to: deadline))
            try? await client.drain().timeout(rest, scheduler: scheduler).value
        }
        shutdown()
    }
}
