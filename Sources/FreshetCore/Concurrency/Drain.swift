public import Synchronization

/// The queue-drain: what makes a combining operator serial without holding a lock while it calls out.
///
/// Whoever finds the counter at zero handles its own signal and then everything that others have left in the meantime;
/// everybody else leaves the signal and goes. So signals are handled one at a time, in the order of arrival, whichever
/// thread they come from, and a signal that is sent while one is being handled, from the same thread too, neither
/// deadlocks nor interleaves nor deepens the stack.
@usableFromInline
package final class Drain<Signal>: @unchecked Sendable {
    @usableFromInline let pending = Atomic<Int>(0)
    @usableFromInline let lock = Lock()
    @usableFromInline var queue: [Signal] = []

    @inlinable
    package init() {}

    /// Hands `signal` to `handle`, now or as soon as whoever is at work comes to it.
    @inlinable
    package func submit(_ signal: @autoclosure () -> Signal, to handle: (Signal) -> Void) {
        if enter() {
            handle(signal())
            leave(to: handle)
        } else if enqueue(signal()) {
            drain(to: handle)
        }
    }

    /// Like ``submit(_:to:)``, with `record` called under the drain's lock, at the very place in the order of signals
    /// that this one gets: what it reads or changes agrees with what is handled before and after.
    ///
    /// - Parameter record: says whether the signal is wanted at all, and what to return.
    @inlinable
    package func submit<Record>(
        _ signal: @autoclosure () -> Signal, recording record: () -> (isWanted: Bool, Record),
        to handle: (Signal) -> Void
    ) -> Record {
        lock.lock()
        let (isWanted, result) = record()
        var isDirect = false
        var isFirst = false
        if isWanted {
            isDirect = enter()
            if !isDirect {
                queue.append(signal())
                isFirst = pending.add(1, ordering: .acquiringAndReleasing).oldValue == 0
            }
        }
        lock.unlock()
        if isDirect {
            handle(signal())
            leave(to: handle)
        } else if isFirst {
            drain(to: handle)
        }
        return result
    }

    /// Takes the right to handle, if nobody has it. After `true` the caller does its work and calls ``leave(to:)``.
    @inlinable
    package func enter() -> Bool {
        pending.compareExchange(expected: 0, desired: 1, ordering: .acquiringAndReleasing).exchanged
    }

    /// Gives the right back, after handling what others have left.
    @inlinable
    package func leave(to handle: (Signal) -> Void) {
        if pending.subtract(1, ordering: .acquiringAndReleasing).newValue != 0 { drain(to: handle) }
    }

    /// Leaves a signal. After `true` nobody was at work any more, and the caller has to ``drain(to:)``.
    @inlinable
    package func enqueue(_ signal: Signal) -> Bool {
        lock.withLock {
            queue.append(signal)
            // Counted under the lock, so that a batch is never larger than the count.
            return pending.add(1, ordering: .acquiringAndReleasing).oldValue == 0
        }
    }

    @inlinable
    package func drain(to handle: (Signal) -> Void) {
        var batch: [Signal] = []
        repeat {
            batch.removeAll(keepingCapacity: true)
            lock.withLock { swap(&queue, &batch) }
            for signal in batch { handle(signal) }
        } while pending.subtract(batch.count, ordering: .acquiringAndReleasing).newValue != 0
    }
}
