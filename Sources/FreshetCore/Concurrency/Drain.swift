public import Synchronization

/// The queue-drain algorithm: it makes a combining operator serial without holding a lock while the operator calls out.
///
/// A thread that finds the drain free handles its own signal, and then all signals that other threads have added
/// meanwhile. A thread that finds the drain busy adds its signal and returns. So signals are handled one at a time, in
/// the order of arrival, whichever threads submit them. A signal that arrives while another is being handled, also on
/// the same thread, neither deadlocks nor interleaves nor deepens the stack.
///
/// One atomic word holds the complete state: whether a thread is draining, and the list of waiting signals, newest
/// first. Without contention a signal costs two exchanges of that word and no memory.
@usableFromInline
package struct Drain<Signal>: ~Copyable, @unchecked Sendable {
    @usableFromInline
    struct Node {
        let signal: Signal
        var older: UInt

        @usableFromInline
        init(signal: Signal, older: UInt) {
            self.signal = signal
            self.older = older
        }
    }

    /// ``free``, ``busy``, or the address of the newest ``Node`` that waits while a thread is draining.
    @usableFromInline let word = Atomic<UInt>(0)

    @inlinable static var free: UInt { @inline(__always) get { 0 } }
    @inlinable static var busy: UInt { @inline(__always) get { 1 } }

    @inlinable @inline(__always)
    package init() {}

    /// Passes `signal` to `handle`: at once if the drain is free, otherwise when the draining thread reaches it.
    @inlinable @inline(__always)
    package func submit(_ signal: @autoclosure () -> Signal, to handle: (Signal) -> Void) {
        if enter() {
            handle(signal())
            finishTurn(to: handle)
        } else if enqueue(signal()) {
            drain(to: handle)
        }
    }

    /// Like ``submit(_:to:)``, but calls `record` under `lock` at the position that the signal gets in the order of
    /// such signals. The state that `record` reads or changes is therefore consistent with the signals that are handled
    /// before and after.
    ///
    /// - Parameter record: returns whether the signal is to be handled at all, and the value that this function returns.
    package func submit<Record>(
        _ signal: @autoclosure () -> Signal, under lock: Lock,
        recording record: () -> (isWanted: Bool, Record),
        to handle: (Signal) -> Void
    ) -> Record {
        lock.lock()
        let (isWanted, result) = record()
        let isDirect = isWanted && enter()
        let isFirst = isWanted && !isDirect && enqueue(signal())
        lock.unlock()
        if isDirect {
            handle(signal())
            finishTurn(to: handle)
        } else if isFirst {
            drain(to: handle)
        }
        return result
    }

    /// Whether no thread is draining.
    @inlinable
    package var isFree: Bool { @inline(__always) get { word.load(ordering: .acquiring) == Self.free } }

    /// Makes the caller the draining thread if the drain is free. After `true` the caller does its work and calls
    /// ``finishTurn(to:)``.
    @inlinable @inline(__always)
    package func enter() -> Bool {
        word.compareExchange(expected: Self.free, desired: Self.busy, ordering: .acquiringAndReleasing).exchanged
    }

    /// Handles the signals that other threads have added, and then frees the drain.
    @inlinable @inline(__always)
    package func finishTurn(to handle: (Signal) -> Void) {
        if !step() { drain(to: handle) }
    }

    /// Adds a signal. After `true` the drain was free, and the caller has to call ``drain(to:)``.
    @usableFromInline
    package func enqueue(_ signal: Signal) -> Bool { push(signal, orLeave: nil) == Self.free }

    /// Adds a signal if a thread is draining, which then handles it. Returns whether it was added.
    package func enqueueIfBusy(_ signal: Signal) -> Bool { push(signal, orLeave: Self.free) != Self.free }

    /// Adds a signal, unless the word is `left`. Returns the word from before.
    private func push(_ signal: Signal, orLeave left: UInt?) -> UInt {
        var newest = word.load(ordering: .relaxed)
        if newest == left { return newest }
        let node = UnsafeMutablePointer<Node>.allocate(capacity: 1)
        node.initialize(to: Node(signal: signal, older: newest))
        repeat {
            node.pointee.older = newest
            let (exchanged, seen) = word.weakCompareExchange(
                expected: newest, desired: UInt(bitPattern: node), ordering: .acquiringAndReleasing)
            if exchanged { return newest }
            newest = seen
        } while newest != left
        node.deinitialize(count: 1)
        node.deallocate()
        return newest
    }

    /// Handles the waiting signals and frees the drain. The caller is the draining thread: ``enqueue(_:)`` or
    /// ``enter()`` has returned `true`.
    @usableFromInline
    package func drain(to handle: (Signal) -> Void) {
        repeat {
            var next = oldest(of: word.exchange(Self.busy, ordering: .acquiringAndReleasing))
            while let node = next {
                next = UnsafeMutablePointer(bitPattern: node.pointee.older)
                let signal = node.move().signal
                node.deallocate()
                handle(signal)
            }
        } while !step()
    }

    /// Frees the drain unless a signal waits. Returns whether it did.
    @inlinable @inline(__always)
    func step() -> Bool {
        word.compareExchange(expected: Self.busy, desired: Self.free, ordering: .acquiringAndReleasing).exchanged
    }

    /// Reverses a list that begins with its newest node.
    private func oldest(of newest: UInt) -> UnsafeMutablePointer<Node>? {
        var list: UnsafeMutablePointer<Node>?
        var address = newest
        while address > Self.busy, let node = UnsafeMutablePointer<Node>(bitPattern: address) {
            address = node.pointee.older
            node.pointee.older = UInt(bitPattern: list)
            list = node
        }
        return list
    }
}
