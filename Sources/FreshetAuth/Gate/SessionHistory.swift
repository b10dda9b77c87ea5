/// The recent generations of the session, and those of sessions that were logged out. A request with a generation of an ended
/// session must not continue with the credential of another login, which can belong to another person.
///
/// A login without a logout counts as the same person logging in again, unless the ID tokens name two. The history keeps the
/// last 16 generations, which is enough because a request asks for a credential soon after it was sent.
struct SessionHistory: Sendable {
    private static let memory = 16

    private var running: [Int] = []
    private(set) var ended: [Int] = []
    /// How often a session has ended, or a logout has emptied the store.
    private(set) var endCount = 0

    mutating func add(_ generation: Int) {
        // After a store was removed, its generations count from 0 again.
        if !ended.isEmpty { ended.removeAll { $0 == generation } }
        if running.last == generation { return }
        running.append(generation)
        if running.count > Self.memory { running.removeFirst() }
    }

    /// Records a logout of the session.
    mutating func end() {
        ended = (ended + running).suffix(Self.memory)
        running = []
        endCount += 1
    }

    func hasEnded(_ generation: Int) -> Bool { ended.contains(generation) }
}

extension Credential {
    /// Whether this credential is of a login that did not continue the session of `old`: someone logged out in between, or
    /// another account logged in. Credentials without IDs, from another program, count as of one session.
    func isOfAnotherSession(than old: Credential) -> Bool {
        guard details.loginID != old.details.loginID else { return false }
        if let session = details.sessionID, session != old.details.sessionID { return true }
        return isOfAnotherAccount(than: old)
    }

    /// Whether both have ID tokens, and these name two accounts.
    func isOfAnotherAccount(than old: Credential) -> Bool {
        guard let subject = details.subject, let other = old.details.subject else { return false }
        return subject != other
    }
}
