package import FreshetCore

/// What can be told that it relies on something that is over: a request that is under way, as one.
///
/// It stands in a list meanwhile, and is held by that. To come and to go takes no memory, for there is one for each request.
// Unchecked: what is mutable is guarded by the lock of the list.
package class Interruptible: @unchecked Sendable {
    // Not held by each other but by the list, and that lets go of none that stands between others.
    @exclusivity(unchecked) fileprivate final var earlier: Unmanaged<Interruptible>?
    @exclusivity(unchecked) fileprivate final var later: Unmanaged<Interruptible>?
    @exclusivity(unchecked) fileprivate final var isListed = false
    /// What it was when it came to the list, which it gets back.
    @exclusivity(unchecked) fileprivate final var number = 0

    package func interrupt(_ number: Int, with error: HTTPClientError) {}
}

/// Those that rely on one thing: to come and to go costs the same however many there are.
package struct Interruptibles: @unchecked Sendable {
    private var last: Unmanaged<Interruptible>?

    package init() {}

    /// - Parameter number: tells it when it came, should it come and go several times.
    mutating func add(_ one: Interruptible, _ number: Int = 0) {
        let held = Unmanaged.passRetained(one)
        last?._withUnsafeGuaranteedRef { $0.later = held }
        one.earlier = last
        one.number = number
        one.isListed = true
        last = held
    }

    /// The caller holds it, so that nothing is let go of under the lock.
    mutating func remove(_ one: Interruptible) {
        guard one.isListed else { return }
        one.isListed = false
        let (earlier, later) = (one.earlier, one.later)
        earlier?._withUnsafeGuaranteedRef { $0.later = later }
        if let later { later._withUnsafeGuaranteedRef { $0.earlier = earlier } } else { last = earlier }
        one.earlier = nil
        one.later = nil
        Unmanaged.passUnretained(one).release()
    }

    /// In the order in which they came.
    package var all: [(one: Interruptible, number: Int)] {
        var all: [(one: Interruptible, number: Int)] = []
        var next = last
        while let one = next?.takeUnretainedValue() {
            all.append((one, one.number))
            next = one.earlier
        }
        return all.reversed()
    }

    /// - Returns: those that were there, to be let go of without the lock.
    package mutating func removeAll() -> [(one: Interruptible, number: Int)] {
        let all = all
        for (one, _) in all { remove(one) }
        return all
    }
}

extension Locked where Value == Interruptibles {
    /// Calls `told` with what those in the list are interrupted with, until the result is disposed of.
    package func tell(_ told: @escaping @Sendable (HTTPClientError) -> Void) -> any Disposable {
        Told(told, in: self)
    }
}

extension RequestInFlight {
    /// Has the attempt end when it is told so by way of `list`.
    ///
    /// - Returns: what leaves the list when it is disposed of; `nil` if the end of the attempt does that.
    package func rely(on list: Locked<Interruptibles>) -> (any Disposable)? {
        call.join(list, step) ? nil : list.tell(end)
    }
}

private final class Told: Interruptible, Disposable, @unchecked Sendable {
    private let list: Locked<Interruptibles>
    private let told: @Sendable (HTTPClientError) -> Void

    init(_ told: @escaping @Sendable (HTTPClientError) -> Void, in list: Locked<Interruptibles>) {
        self.told = told
        self.list = list
        super.init()
        list.withLock { $0.add(self) }
    }

    override func interrupt(_ number: Int, with error: HTTPClientError) { told(error) }

    func dispose() { list.withLock { $0.remove(self) } }
}
