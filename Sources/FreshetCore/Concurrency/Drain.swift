public import Synchronization

/// The queue-drain: what makes a combining operator serial without holding a lock while it calls out.
///
/// Whoever finds nobody at work handles its own signal and then everything that others have left in the meantime;
/// everybody else leaves the signal and goes. So signals are handled one at a time, in the order of arrival, whichever
/// thread they come from, and a signal that is sent while one is being handled, from the same thread too, neither
/// deadlocks nor interleaves nor deepens the stack.
///
/// One word holds it all: whether somebody is at work, and the list of what waits, newest first. With nobody in the way a
/// signal costs two exchanges of that word, and no memory.
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

    /// ``free``, ``busy``, or the address of the newest ``Node`` that waits while somebody is at work.
    @usableFromInline let word = Atomic<UInt>(0)

    @inlinable static var free: UInt { @inline(__always) get { 0 } }
    @inlinable static var busy: UInt { @inline(__always) get { 1 } }

    @inlinable @inline(__always)
    package init() {}

    /// Hands `signal` to `handle`, now or as soon as whoever is at work comes to it.
    @inlinable @inline(__always)
    package func submit(_ signal: @autoclosure () -> Signal, to handle: (Signal) -> Void) {
        if enter() {
            handle(signal())
            finishTurn(to: handle)
        } else if enqueue(signal()) {
            drain(to: handle)
        }
    }

    /// Like ``submit(_:to:)``, with `record` called under `lock`, at the very place in the order of such signals that this
    /// one gets: what it reads or changes agrees with what is handled before and after.
    ///
    /// - Parameter record: says whether the signal is wanted at all, and what to return.
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

    /// Whether nobody is at work.
    @inlinable
    package var isFree: Bool { @inline(__always) get { word.load(ordering: .acquiring) == Self.free } }

    /// Takes the right to handle, if nobody has it. After `true` the caller does its work and calls ``finishTurn(to:)``.
    @inlinable @inline(__always)
    package func enter() -> Bool {
        word.compareExchange(expected: Self.free, desired: Self.busy, ordering: .acquiringAndReleasing).exchanged
    }

    /// Gives the right back, after handling what others have left.
    @inlinable @inline(__always)
    package func finishTurn(to handle: (Signal) -> Void) {
        if !step() { drain(to: handle) }
    }

    /// Leaves a signal. After `true` nobody was at work any more, and the caller has to ``drain(to:)``.
    @usableFromInline
    package func enqueue(_ signal: Signal) -> Bool {
        let node = UnsafeMutablePointer<Node>.allocate(capacity: 1)
        var newest = word.load(ordering: .relaxed)
        node.initialize(to: Node(signal: signal, older: newest))
        while true {
            let (exchanged, seen) = word.weakCompareExchange(
                expected: newest, desired: UInt(bitPattern: node), ordering: .acquiringAndReleasing)
            if exchanged { return newest == Self.free }
            newest = seen
            node.pointee.older = seen
        }
    }

    /// Handles what waits, with the right that came from ``enqueue(_:)``.
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

    /// Gives the right back, unless something waits.
    @inlinable @inline(__always)
    func step() -> Bool {
        word.compareExchange(expected: Self.busy, desired: Self.free, ordering: .acquiringAndReleasing).exchanged
    }

    /// Turns a list that begins with its newest node around.
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
