import FreshetCore
import FreshetHTTP

// Whether the refresh endpoint may be asked: not during a pause of the circuit breaker, and not too often.
extension RefreshStateMachine {
    /// Returns the failure of a request that needs the endpoint during a pause; `nil` if the endpoint may be asked.
    ///
    /// - Parameter stored: the record whose credential is to be refreshed.
    func endpointRefusal(of stored: StoredCredential, at now: Timestamp) -> RefreshFailure? {
        guard let pause = circuitBreaker.remainingPause(at: now.monotonic), let failure = endpointFailure else {
            return nil
        }
        return .resting(
            failure.reason, wait: pause, isDenied: failure.isDenied, isFirst: stored.credential == nil)
    }

    /// Gets the running refresh a permit of the circuit breaker.
    mutating func admitCall(at now: Timestamp) {
        guard case .admitted(let permit) = circuitBreaker.admit(at: now.monotonic, random: random) else { return }
        change { $0.permit = permit }
    }

    /// Records the outcome of the running refresh at the endpoint.
    ///
    /// - Parameters:
    ///   - failure: the failure of the endpoint; `nil` if it works, even if it has refused the refresh for good.
    ///   - retryAfter: the pause that the endpoint has asked for.
    mutating func settleCall(_ failure: RefreshFailure?, retryAfter: Duration? = nil, at now: Timestamp) {
        endpointFailure = failure
        releasePermit(failure == nil ? .success : .failure, at: now)
        guard let retryAfter else { return }
        circuitBreaker.open(atLeast: min(retryAfter, settings.longestRetryAfter), at: now.monotonic)
    }

    /// Gives the permit of the running refresh back, once.
    mutating func releasePermit(_ outcome: CircuitBreaker.Outcome, at now: Timestamp) {
        guard let refresh, let permit = refresh.permit else { return }
        circuitBreaker.settle(
            permit, outcome, after: refresh.began.duration(to: now.monotonic), at: now.monotonic, random: random)
        change { $0.permit = nil }
    }

    func isAdmitted(at now: Timestamp) -> Bool {
        refreshTimes.count { $0.duration(to: now.monotonic) < settings.refreshWindow } < settings.refreshLimit
    }

    mutating func recordRefresh(at now: Timestamp) {
        refreshTimes.removeAll { $0.duration(to: now.monotonic) >= settings.refreshWindow }
        refreshTimes.append(now.monotonic)
    }
}
