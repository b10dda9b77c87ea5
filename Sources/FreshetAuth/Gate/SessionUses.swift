public import FreshetCore
public import FreshetHTTP

/// Who is to hear of the end of the session: to come and to go costs the same however many there are, and no memory.
struct SessionUses: Sendable {
    private var last: SessionUse?

    mutating func add(_ use: SessionUse) {
        last?.later = use
        use.earlier = last
        last = use
        use.isListed = true
    }

    mutating func remove(_ use: SessionUse) {
        guard use.isListed else { return }
        use.isListed = false
        let earlier = use.earlier
        earlier?.later = use.later
        if let later = use.later { later.earlier = earlier } else { last = earlier }
        use.later = nil
        use.earlier = nil
    }

    /// In the order in which they came.
    var all: [SessionUse] {
        var all: [SessionUse] = []
        var next = last
        while let use = next {
            all.append(use)
            next = use.earlier
        }
        return all.reversed()
    }

    /// - Returns: those that were there, to be let go of without the lock.
    mutating func removeAll() -> [SessionUse] {
        let all = all
        for use in all { remove(use) }
        return all
    }
}

/// One that is to hear of it until it is disposed of.
// Unchecked: the links are guarded by the lock of the list.
class SessionUse: Disposable, @unchecked Sendable {
    private let uses: Locked<SessionUses>
    @exclusivity(unchecked) fileprivate final var earlier: SessionUse?
    @exclusivity(unchecked) fileprivate final unowned(unsafe) var later: SessionUse?
    @exclusivity(unchecked) fileprivate final var isListed = false

    init(_ uses: Locked<SessionUses>) {
        self.uses = uses
        uses.withLock { $0.add(self) }
    }

    /// The session is over.
    func end(with error: HTTPClientError) {}

    final func dispose() { uses.withLock { $0.remove(self) } }
}

private final class ToldUse: SessionUse, @unchecked Sendable {
    private let told: @Sendable (HTTPClientError) -> Void

    init(_ told: @escaping @Sendable (HTTPClientError) -> Void, in uses: Locked<SessionUses>) {
        self.told = told
        super.init(uses)
    }

    override func end(with error: HTTPClientError) { told(error) }
}

extension RefreshGate {
    /// Calls `told` when a logout has emptied the store, with an error of code `loginRequired`: whatever uses the credential
    /// of the session is over then. More than once, if there are more logouts before the result is disposed of.
    ///
    /// Register before the credential is asked for, and as long as it is used; then no logout is missed. A refresh that was
    /// refused ends nothing that is under way: its access token may work. `told` is called on the thread on which the store's
    /// write ended, and it may be, once, while another thread is disposing of the result.
    @preconcurrency
    public func whenSessionEnds(_ told: @escaping @Sendable (HTTPClientError) -> Void) -> any Disposable {
        ToldUse(told, in: uses)
    }
}
