import FreshetCore
import FreshetHTTP

// Whether the refresh endpoint may be asked: not during a pause of the circuit breaker, and not too often.
extension RefreshStateMachine {
    /// Returns the failure of a request that needs the endpoint during a pause; `nil` if the endpoint may be asked.
    func endpointRefusal(at moment: Moment) -> RefreshFailure? {
        guard let pause = circuitBreaker.remainingPause(at: moment.monotonic), let failure = endpointFailure else {
            return nil
        }
        return .resting(failure.reason, wait: pause, isDenied: failure.isDenied)
    }

    /// Gets the running refresh a permit of the circuit breaker.
    mutating func admitCall(at moment: Moment) {
        guard case .admitted(let permit) = circuitBreaker.admit(at: moment.monotonic, chance: chance) else { return }
        change { $0.permit = permit }
    }

    /// Records how the endpoint has answered the running refresh.
    ///
    /// - Parameters:
    ///   - failure: the failure of the endpoint; `nil` if it works, even if it has refused the refresh for good.
    ///   - retryAfter: the pause that the endpoint has asked for.
    mutating func settleCall(_ failure: RefreshFailure?, retryAfter: Duration? = nil, at moment: Moment) {
        endpointFailure = failure
        releasePermit(failure == nil ? .success : .failure, at: moment)
        guard let retryAfter else { return }
        circuitBreaker.open(atLeast: min(retryAfter, limits.longestRetryAfter), at: moment.monotonic)
    }

    /// Gives the permit of the running refresh back, once.
    mutating func releasePermit(_ outcome: CircuitBreaker.Outcome, at moment: Moment) {
        guard let refresh, let permit = refresh.permit else { return }
        circuitBreaker.settle(
            permit, outcome, after: refresh.began.duration(to: moment.monotonic), at: moment.monotonic, chance: chance)
        change { $0.permit = nil }
    }

    func isAdmitted(at moment: Moment) -> Bool {
        refreshTimes.count { $0.duration(to: moment.monotonic) < limits.window } < limits.refreshes
    }

    mutating func recordRefresh(at moment: Moment) {
        refreshTimes.removeAll { $0.duration(to: moment.monotonic) >= limits.window }
        refreshTimes.append(moment.monotonic)
    }
}
