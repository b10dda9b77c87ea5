import FreshetCore
import FreshetHTTP
public import ServiceLifecycle

extension FreshetRuntime: Service {
    /// Runs until the service group shuts down gracefully, or until its task is cancelled. Then shuts down as
    /// ``shutdown(gracePeriod:)`` does, with the configuration's grace period. A group cancels the task if another service throws.
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
    /// A request that is sent meanwhile fails with `cancelled`. If the task is cancelled, the running requests are cancelled at
    /// once, and only a running refresh still has the grace period. Returns when everything is closed. Can be called again, and on
    /// the task executor of a loop.
    ///
    /// A gate that cannot store a refreshed credential loses it here without an error. Its `refreshes` emit the failed write with
    /// the outcome `store`; await `settled()` of the gate before the shutdown to get the error.
    @concurrent
    public func shutdown(gracePeriod: Duration) async {
        let deadline = scheduler.now.advanced(by: gracePeriod)
        try? await client.drain().timeout(gracePeriod, scheduler: scheduler).value
        let isCancelled = Task.isCancelled
        // The server may have spent the refresh token, so a cancelled task waits too. A task of its own is not cancelled with it,
        // and does not run on the executor that the caller prefers: that can be a loop's, which must not wait for its own end.
        await Task {
            if isCancelled { cancelRequests() }
            await settleRefreshes(until: deadline)
            shutdown()
        }.value
    }

    /// Waits until no refresh runs, and until the gates have stored what they have received.
    private func settleRefreshes(until deadline: Instant) async {
        func rest() -> Duration { max(.zero, scheduler.now.duration(to: deadline)) }
        try? await refreshClient.drain().timeout(rest(), scheduler: scheduler).value
        for gate in livingGates { try? await gate.settled().timeout(rest(), scheduler: scheduler).value }
    }
}
