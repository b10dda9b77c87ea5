import FreshetCore
import FreshetHTTP

/// The circuit breaker of one origin, with its clock.
struct OriginCircuit: Sendable {
    let origin: Origin
    let breakers: BoundedTable<Origin, CircuitBreaker>
    let settings: CircuitBreaker.Settings
    let scheduler: any SchedulerType

    var now: Instant { scheduler.now }

    func change<Result: Sendable>(_ body: (inout CircuitBreaker, Instant) -> Result) -> Result {
        let now = now
        return breakers.change(origin, or: CircuitBreaker(settings)) { body(&$0, now) }
    }

    /// The error of a request that was not admitted.
    func error(_ admission: CircuitBreaker.Admission) -> HTTPClientError {
        let reason =
            if case .refused(let pause) = admission {
                "gets no request for \(Int((pause / .seconds(1)).rounded(.up))) s"
            } else {
                "another request is testing whether it has recovered"
            }
        return HTTPClientError(
            .circuitOpen, phase: .queued, origin: origin.description,
            message: "the server has failed too often, and \(reason)", recoverySuggestion: .tryAgainLater,
            isUnsent: true)
    }
}
