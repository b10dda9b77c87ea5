import FreshetCore
import FreshetHTTP

extension RefreshGate {
    /// Fails the calls that wait with code `cancelled`, and all later ones that would have to wait. Requests that wait for a login
    /// fail with `loginRequired`. Call it when the gate's scheduler
    /// runs no more work. A runtime does so for the gates that it has made.
    public func shutdown() {
        idleTimer.dispose()
        loginWatch.dispose()
        let (waiters, settling, logins) = state.withLock { state in
            state.isEnded = true
            let logins = state.endLoginWaits(.late)
            defer { (state.waiters, state.settling) = ([:], [:]) }
            return (state.waiters.sorted { $0.key < $1.key }, state.settling.sorted { $0.key < $1.key }, logins)
        }
        let (operations, transactions) = state.withLock { state in
            defer { (state.operations, state.transactions) = ([:], [:]) }
            return (Array(state.operations.values), Array(state.transactions.values))
        }
        for operation in operations { operation.end() }
        for transaction in transactions { transaction.end() }
        for waiter in waiters { waiter.value(.failure(.ended)) }
        for login in logins { login() }
        for settled in settling { settled.value(.failure(RefreshFailure.ended.clientError)) }
    }
}
