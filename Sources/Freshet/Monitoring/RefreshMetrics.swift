public import CoreMetrics
public import FreshetAuth
import FreshetCore

/// Tells a metrics backend of each refresh and each revocation of a credential, through swift-metrics.
///
/// All have the dimensions `cause` and `outcome`, the raw values of `RefreshEvent`'s and `RevocationEvent`'s, and nothing that
/// tells who or whose:
///
/// - `freshet_refreshes`, a counter: one for each, also for those that took over what a sibling had refreshed.
/// - `freshet_refresh_duration`, a timer: from the first who wanted it to its end.
/// - `freshet_refresh_waiters`, a recorder: how many waited at its end.
/// - `freshet_revocations`, a counter, and `freshet_revocation_duration`, a timer: the same of the revocations.
///
/// ``FreshetRuntime/gate(store:authenticator:settings:)`` does so by itself. For a gate that was made otherwise:
/// ```swift
/// gate.refreshes.subscribe(onNext: RefreshMetrics().record)
/// gate.revocations.subscribe(onNext: RefreshMetrics().record)
/// ```
public struct RefreshMetrics: Sendable {
    private let factory: (any MetricsFactory)?

    /// Counters of refreshes and revocations in a metrics backend.
    ///
    /// - Parameter factory: the backend; `nil` for the one that `MetricsSystem` was bootstrapped with, as of each refresh.
    public init(factory: (any MetricsFactory)? = nil) {
        self.factory = factory
    }

    @Sendable
    public func record(_ refresh: RefreshEvent) {
        let backend = backend(cause: refresh.cause.rawValue, outcome: refresh.outcome.rawValue)
        backend.count("freshet_refreshes")
        backend.time("freshet_refresh_duration", refresh.duration)
        backend.record("freshet_refresh_waiters", refresh.waiters)
    }

    @Sendable
    public func record(_ revocation: RevocationEvent) {
        let backend = backend(cause: revocation.cause.rawValue, outcome: revocation.outcome.rawValue)
        backend.count("freshet_revocations")
        backend.time("freshet_revocation_duration", revocation.duration)
    }

    private func backend(cause: String, outcome: String) -> Backend {
        Backend(factory: factory ?? MetricsSystem.factory, dimensions: [("cause", cause), ("outcome", outcome)])
    }
}

/// Where the figures of one event go.
private struct Backend {
    let factory: any MetricsFactory
    let dimensions: [(String, String)]

    func count(_ label: String) {
        Counter(label: label, dimensions: dimensions, factory: factory).increment()
    }

    func time(_ label: String, _ duration: Duration) {
        Timer(label: label, dimensions: dimensions, factory: factory).record(duration: duration)
    }

    func record(_ label: String, _ count: Int) {
        Recorder(label: label, dimensions: dimensions, aggregate: true, factory: factory).record(count)
    }
}
