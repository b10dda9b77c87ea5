public import CoreMetrics
public import FreshetAuth
import FreshetCore

/// Reports each refresh and each revocation of a credential to a metrics backend, through swift-metrics.
///
/// All metrics have the dimensions `cause` and `outcome`: the raw values of the causes and outcomes of `RefreshEvent`
/// and `RevocationEvent`. No dimension identifies a user or a credential.
///
/// - `freshet_refreshes`, a counter: counts every refresh, including those that adopted the result of another gate or
///   process.
/// - `freshet_refresh_duration`, a timer: the time from the first request that needed the refresh to its end.
/// - `freshet_refresh_waiters`, a recorder: how many requests waited for the refresh when it ended.
/// - `freshet_revocations`, a counter, and `freshet_revocation_duration`, a timer: the number and the duration of the
///   revocations.
///
/// ``FreshetRuntime/gate(store:authenticator:settings:)`` connects its gates to a `RefreshMetrics`. A gate that the
/// program creates itself is connected like this:
/// ```swift
/// gate.refreshes.subscribe(onNext: RefreshMetrics().record)
/// gate.revocations.subscribe(onNext: RefreshMetrics().record)
/// ```
public struct RefreshMetrics: Sendable {
    private let factory: (any MetricsFactory)?

    /// Creates the counters, timers and recorders of refreshes and revocations in a metrics backend.
    ///
    /// - Parameter factory: the backend; `nil` uses the backend that `MetricsSystem` has at the time of each refresh.
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

/// Writes the figures of one event to the backend.
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
