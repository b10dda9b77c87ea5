import FreshetCore
import FreshetHTTP

/// The interceptors of an ``AccountInterceptor``. When there are too many, the table drops the least useful ones.
struct MemberTable: Sendable {
    private struct Member: Sendable {
        let interceptor: AuthenticationInterceptor
        var lastUse: Int
    }

    private let maximumCount: Int
    private var members: [CredentialKey: Member] = [:]
    private var useCount = 0
    /// The count at which members are dropped. It exceeds the maximum if most members are in use.
    private var sweepCount: Int

    /// - Parameter maximumCount: at least 1.
    init(maximumCount: Int) {
        self.maximumCount = max(1, maximumCount)
        sweepCount = self.maximumCount
    }

    var keys: Set<CredentialKey> { Set(members.keys) }

    func find(_ key: CredentialKey) -> AuthenticationInterceptor? { members[key]?.interceptor }

    mutating func use(_ key: CredentialKey) -> AuthenticationInterceptor? {
        useCount += 1
        members[key]?.lastUse = useCount
        return members[key]?.interceptor
    }

    /// - Returns: the dropped members, to be released outside of the lock.
    mutating func insert(_ interceptor: AuthenticationInterceptor, for key: CredentialKey)
        -> [AuthenticationInterceptor]
    {
        let dropped = members.count >= sweepCount ? sweep() : []
        useCount += 1
        members[key] = Member(interceptor: interceptor, lastUse: useCount)
        return dropped
    }

    mutating func remove(_ key: CredentialKey) -> AuthenticationInterceptor? {
        members.removeValue(forKey: key)?.interceptor
    }

    /// Drops members until three quarters of the maximum are left, so that dropping is rare. Members with expired credentials
    /// are dropped first, then the least recently used ones.
    private mutating func sweep() -> [AuthenticationInterceptor] {
        let surplus = members.count - maximumCount * 3 / 4
        let idle = members.filter { !$0.value.interceptor.gate.isInUse }.map { key, member in
            (key: key, isExpired: member.interceptor.gate.hasExpired, lastUse: member.lastUse)
        }
        let order = idle.sorted { left, right in
            left.isExpired != right.isExpired ? left.isExpired : left.lastUse < right.lastUse
        }
        let dropped = order.prefix(surplus).compactMap { members.removeValue(forKey: $0.key)?.interceptor }
        sweepCount = max(maximumCount, members.count + maximumCount / 4)
        return dropped
    }
}

extension RefreshGate {
    /// Whether something would be lost if another gate of the same store replaced this one: a request that carries or awaits
    /// its credential, an operation, a credential that could not be written, an observer of its logins, or a store that is
    /// not persistent.
    var isInUse: Bool {
        if !store.isPersistent || loginRequests.hasObservers || stepUpReports.hasObservers { return true }
        return state.withLock { state in
            !state.machine.isIdle || state.machine.isExchanging || state.machine.pendingWrite != nil
                || !state.waiters.isEmpty || !state.uses.isEmpty || !state.settling.isEmpty
                || !state.loginWaiters.isEmpty || !state.operations.isEmpty
        }
    }

    var hasExpired: Bool { current?.isExpired(at: secondsSince1970()) ?? true }
}
