import FreshetCore
import FreshetHTTP

extension RefreshGate {
    /// Fails the calls that wait with code `cancelled`, and all later ones that would have to wait. Requests that wait for a login
    /// fail with `loginRequired`.
    ///
    /// Call it when the gate's scheduler runs no more work. A runtime does so for the gates that it has made. It can be called from
    /// any thread, and again; the calls fail on that thread.
    public func shutdown() {
        idleTimer.dispose()
        loginWatch.dispose()
        let (left, logins) = state.withLock { state in
            let left = state
            state.isEnded = true
            (state.waiters, state.settling, state.operations, state.transactions) = ([:], [:], [:], [:])
            return (left, state.endLoginWaits(.late))
        }
        for operation in left.operations.values { operation.end() }
        for transaction in left.transactions.values { transaction.end() }
        for (_, completion) in left.waiters.sorted(by: { $0.key < $1.key }) { completion(.failure(.ended), Moment()) }
        for login in logins { login() }
        for (_, completion) in left.settling.sorted(by: { $0.key < $1.key }) {
            completion(.failure(RefreshFailure.ended.clientError))
        }
    }
}
