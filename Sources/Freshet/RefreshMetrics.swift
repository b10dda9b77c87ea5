public import CoreMetrics
public import FreshetAuth
import FreshetCore

/// Tells a metrics backend of each refresh of a credential, through swift-metrics.
///
/// All have the dimensions `cause` and `outcome`, the raw values of `RefreshEvent`'s, and nothing that tells who or whose:
///
/// - `freshet_refreshes`, a counter: one for each, also for those that took over what a sibling had refreshed.
/// - `freshet_refresh_duration`, a timer: from the first who wanted it to its end.
/// - `freshet_refresh_waiters`, a recorder: how many waited at its end.
///
/// ``Runtime/gate(store:authenticator:settings:)`` does so by itself. For a gate that was made otherwise:
/// ```swift
/// gate.refreshes.subscribe(onNext: RefreshMetrics().record)
/// ```
public struct RefreshMetrics: Sendable {
    private let factory: (any MetricsFactory)?

    /// - Parameter factory: the backend; `nil` for the one that `MetricsSystem` was bootstrapped with, as of each refresh.
    public init(factory: (any MetricsFactory)? = nil) {
        self.factory = factory
    }

    @Sendable
    public func record(_ refresh: RefreshEvent) {
        let factory = factory ?? MetricsSystem.factory
        let dimensions = [("cause", refresh.cause.rawValue), ("outcome", refresh.outcome.rawValue)]
        Counter(label: "freshet_refreshes", dimensions: dimensions, factory: factory).increment()
        Timer(label: "freshet_refresh_duration", dimensions: dimensions, factory: factory)
            .recordNanoseconds(refresh.duration.nanoseconds)
        Recorder(label: "freshet_refresh_waiters", dimensions: dimensions, aggregate: true, factory: factory)
            .record(refresh.waiters)
    }
}

extension Duration {
    /// The largest number there is, for a time that has more.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return isTooMuch ? .max : whole.addingReportingOverflow(attoseconds / 1_000_000_000).partialValue
    }
}
