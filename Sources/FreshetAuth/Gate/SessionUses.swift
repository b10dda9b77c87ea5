public import FreshetCore
public import FreshetHTTP
import Synchronization

/// Who is to hear of the end of the session: adding and taking out cost the same however many there are.
struct SessionUses: Sendable {
    typealias Told = @Sendable (HTTPClientError) -> Void

    private var slots: [Told?] = []
    private var free: [Int] = []

    mutating func add(_ told: @escaping Told) -> Int {
        if let slot = free.popLast() {
            slots[slot] = told
            return slot
        }
        slots.append(told)
        return slots.count - 1
    }

    mutating func remove(_ slot: Int) {
        slots[slot] = nil
        free.append(slot)
    }

    var all: [Told] { slots.compactMap { $0 } }
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
        let slot = uses.withLock { $0.add(told) }
        return SessionUse(slot, of: self)
    }

}

private final class SessionUse: Disposable {
    private let slot: Int
    private let gate: RefreshGate
    private let isOver = Atomic<Bool>(false)

    init(_ slot: Int, of gate: RefreshGate) {
        self.slot = slot
        self.gate = gate
    }

    func dispose() {
        if isOver.exchange(true, ordering: .acquiringAndReleasing) { return }
        gate.uses.withLock { $0.remove(slot) }
    }
}
