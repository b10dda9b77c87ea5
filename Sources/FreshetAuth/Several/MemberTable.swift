import FreshetCore
import FreshetHTTP

/// The interceptor of a key. Each request of the key holds the member until the request has ended, so a member that is
/// referenced outside of the table is in use.
final class AccountMember: Sendable {
    let key: CredentialKey
    let interceptor: AuthenticationInterceptor

    init(key: CredentialKey, interceptor: AuthenticationInterceptor) {
        self.key = key
        self.interceptor = interceptor
    }
}

/// The members of an ``AccountInterceptor``. When there are too many, the table drops the least useful ones.
struct MemberTable: Sendable {
    private struct Entry: Sendable {
        var member: AccountMember
        var lastUse: Int
    }

    private let maximumCount: Int
    private var entries: [CredentialKey: Entry] = [:]
    private var useCount = 0
    /// The number of uses at which members can be dropped again. Most members can be in use, and to look for others costs time.
    private var nextSweep = 0

    /// - Parameter maximumCount: at least 1.
    init(maximumCount: Int) { self.maximumCount = max(1, maximumCount) }

    var keys: Set<CredentialKey> { Set(entries.keys) }

    func find(_ key: CredentialKey) -> AccountMember? { entries[key]?.member }

    /// - Returns: the member of `key`, and the dropped members, to be released outside of the lock.
    mutating func use(_ key: CredentialKey) -> (AccountMember?, dropped: [AccountMember]) {
        useCount += 1
        entries[key]?.lastUse = useCount
        return (find(key), entries.count > maximumCount ? sweep() : [])
    }

    /// - Returns: the dropped members, to be released outside of the lock.
    mutating func insert(_ member: AccountMember) -> [AccountMember] {
        let dropped = entries.count >= maximumCount ? sweep() : []
        useCount += 1
        entries[member.key] = Entry(member: member, lastUse: useCount)
        return dropped
    }

    mutating func remove(_ key: CredentialKey) -> AccountMember? { entries.removeValue(forKey: key)?.member }

    /// Drops members until three quarters of the maximum are left, so that dropping is rare. Members with expired credentials
    /// are dropped first, then the least recently used ones.
    private mutating func sweep() -> [AccountMember] {
        guard useCount >= nextSweep else { return [] }
        let surplus = entries.count - maximumCount * 3 / 4
        let idle = Array(entries.keys).filter { !isInUse($0) }.compactMap { key in
            entries[key].map { (key: key, isExpired: $0.member.interceptor.gate.hasExpired, lastUse: $0.lastUse) }
        }
        let order = idle.sorted { left, right in
            left.isExpired != right.isExpired ? left.isExpired : left.lastUse < right.lastUse
        }
        let dropped = order.prefix(surplus).compactMap { remove($0.key) }
        nextSweep = useCount + entries.count / 4
        return dropped
    }

    private mutating func isInUse(_ key: CredentialKey) -> Bool {
        // References are counted in place, because a copy would count. New ones are handed out under the table's lock alone.
        !isKnownUniquelyReferenced(&entries[key]!.member) || entries[key]!.member.interceptor.gate.isInUse
    }
}

extension RefreshGate {
    /// Whether something would be lost if another gate of the same store replaced this one: a caller that uses or awaits
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
