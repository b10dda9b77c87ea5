/// Which credentials came one from the other, and which are of a session that was logged out: whoever has one of those is not
/// to go on with the credential of another login, which may be another person's.
///
/// A login without a logout is taken for the same person's, who had to log in again. It remembers the last few generations:
/// a request asks within moments.
struct SessionHistory: Sendable {
    private static let memory = 16

    private var running: [Int] = []
    private(set) var ended: [Int] = []

    mutating func add(_ generation: Int) {
        // In a store that was removed the count begins anew.
        if !ended.isEmpty { ended.removeAll { $0 == generation } }
        if running.last == generation { return }
        running.append(generation)
        if running.count > Self.memory { running.removeFirst() }
    }

    /// The session is logged out.
    mutating func end() {
        ended = (ended + running).suffix(Self.memory)
        running = []
    }

    func hasEnded(_ generation: Int) -> Bool { ended.contains(generation) }
}
