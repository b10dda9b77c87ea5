/// The work that waits on one thread until its outermost subscription or work item has returned.
@usableFromInline
final class Trampoline {
    // A hand-written ring buffer, whose capacity is a power of two: work moves in and out without reference counting.
    private var ring = UnsafeMutablePointer<() -> Void>.allocate(capacity: 8)
    private var capacity = 8
    private var head = 0
    private var count = 0
    private(set) var isRunning = false

    private var postponed: [() -> Void] = []

    // The calls and releases that the stack breaks of long chains have postponed.
    var pendingSubscriptions = StackBreakQueue.Queue<() -> Void>()
    var calls = StackBreakQueue.Calls()
    var releases = StackBreakQueue.Queue<AnyObject>()

    /// Set if the thread runs in turns.
    var turnEnd: TurnEnd?

    deinit {
        while let work = popFirst() { work() }
        ring.deallocate()
    }

    @usableFromInline var isEmpty: Bool { count == 0 }

    func append(_ work: @escaping () -> Void) {
        let work = SubscriptionContext.inCurrentContext(work)
        if count == capacity { grow() }
        ring.advanced(by: (head + count) & (capacity - 1)).initialize(to: work)
        count += 1
    }

    /// Runs `work` after the current call has returned, so that it does not deepen the stack, but before the
    /// subscribing call that is under way returns.
    func postpone(_ work: @escaping () -> Void) {
        postponed.append(SubscriptionContext.inCurrentContext(work))
    }

    /// Runs `work`, and then the work that it has postponed.
    @inline(__always)
    func start(_ work: () -> Void) {
        let before = postponed.count
        work()
        while postponed.count > before { postponed.removeLast()() }
    }

    /// Runs `work`, and then the work that has been scheduled in the meantime.
    func run(_ work: () -> Void) {
        isRunning = true
        work()
        while let work = popFirst() { work() }
        isRunning = false
    }

    private func popFirst() -> (() -> Void)? {
        guard count > 0 else { return nil }
        let work = ring.advanced(by: head).move()
        head = (head + 1) & (capacity - 1)
        count -= 1
        return work
    }

    private func grow() {
        let larger = UnsafeMutablePointer<() -> Void>.allocate(capacity: capacity * 2)
        let upToTheEnd = capacity - head
        larger.moveInitialize(from: ring.advanced(by: head), count: upToTheEnd)
        larger.advanced(by: upToTheEnd).moveInitialize(from: ring, count: head)
        ring.deallocate()
        ring = larger
        head = 0
        capacity *= 2
    }
}
