import Synchronization

/// The end of a chain from which a task takes the elements: they wait here for the task, or the task for them.
///
/// The task's continuation is resumed by whoever takes it out, under the lock; so it is resumed exactly once. It carries
/// nothing: the task looks for itself what has come. On a thread that works in turns it is resumed at the end of the turn,
/// when more may have come.
// Unchecked: `owed` is touched by one thread alone, whose turn it is.
@usableFromInline
final class AsyncBuffer<Element: Sendable>: Sink<Element>, Disposable, TurnWork, @unchecked Sendable {
    @usableFromInline typealias Continuation = UnsafeContinuation<Void, Never>

    @usableFromInline
    struct State {
        @usableFromInline var waiting: [Element] = []
        /// How many of those have been taken.
        @usableFromInline var head = 0
        @usableFromInline var hasEnded = false
        @usableFromInline var failure: (any Error)?
        @usableFromInline var receiver: Continuation?
        @usableFromInline var isHeld = false

        @inlinable
        init() {}
    }

    @usableFromInline let limits: ClosedRange<Int>
    @usableFromInline let state = Locked(State())
    /// Who is to be resumed at the end of the turn; its thread's.
    private var owed: Continuation?
    private let put: (AsyncBuffer, UnsafePointer<Element>) -> Void
    private let source = SingleAssignmentDisposable()

    /// - Parameter put: puts an element to the others; made where its type is known.
    @usableFromInline
    init(limits: ClosedRange<Int>, put: @escaping (AsyncBuffer, UnsafePointer<Element>) -> Void) {
        self.limits = limits
        self.put = put
        super.init()
        Resources.increment()
    }

    deinit { Resources.decrement() }

    @inlinable
    convenience init(limits: ClosedRange<Int>) {
        self.init(limits: limits) { $0.append($1.pointee) }
    }

    // MARK: The stream

    override func begin(with subscription: any Disposable & AnyObject) { source.setDisposable(subscription) }

    override func next(_ element: Element) {
        withUnsafePointer(to: element) { put(self, $0) }
    }

    @inlinable @inline(__always)
    func append(_ element: Element) {
        let (receiver, isFull) = state.withLock { $0.append(element, limit: limits.upperBound) }
        if let receiver { wake(receiver) }
        if isFull { updateSource() }
    }

    override func error(_ error: any Error) { end(with: error) }
    override func completed() { end(with: nil) }

    private func end(with failure: (any Error)?) {
        let receiver = state.withLock { $0.end(with: failure) }
        source.dispose()
        if let receiver { wake(receiver) }
    }

    @usableFromInline
    func wake(_ receiver: Continuation) {
        guard let turnEnd = TurnEnd.current else { return receiver.resume() }
        owed = receiver
        turnEnd.add(self)
    }

    func turnEnds() {
        owed.take()?.resume()
    }

    @usableFromInline
    func updateSource() {
        pauseOrResume(source) { state.withLock { $0.isHeld } }
    }

    /// Ends the subscription. The task that waits, or asks next, gets a `CancellationError`, and the end after that.
    @usableFromInline
    func dispose() {
        let (receiver, dropped) = state.withLock { $0.drop() }
        source.dispose()
        receiver?.resume()
        withExtendedLifetime(dropped) {}
    }

    // MARK: The task

    @usableFromInline
    enum Found {
        case element(Element)
        case end((any Error)?)
        case nothing
    }

    @inlinable
    func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
        if Task.isCancelled { dispose() }
        while true {
            switch dequeue() {
            case .element(let element): return element
            case .end(let failure?): throw failure
            case .end: return nil
            case .nothing:
                await withTaskCancellationHandler(
                    operation: {
                        await withUnsafeContinuation(isolation: actor) { wait($0) }
                    }, onCancel: { dispose() }, isolation: actor)
            }
        }
    }

    @inlinable @inline(__always)
    func dequeue() -> Found {
        let (found, isLow) = state.withLock { $0.dequeue(low: limits.lowerBound) }
        if isLow { updateSource() }
        return found
    }

    @usableFromInline
    func wait(_ continuation: Continuation) {
        if state.withLock({ $0.wait(continuation) }) { continuation.resume() }
    }
}

extension AsyncBuffer.State {
    /// - Returns: who waits for the element, and whether the source has to be held from here on.
    @inlinable @inline(__always)
    mutating func append(_ element: Element, limit: Int) -> (receiver: AsyncBuffer.Continuation?, isFull: Bool) {
        if hasEnded { return (nil, false) }
        waiting.append(element)
        let receiver = receiver.take()
        let isFull = !isHeld && waiting.count - head >= limit && receiver == nil
        if isFull { isHeld = true }
        return (receiver, isFull)
    }

    /// - Returns: who waits.
    mutating func end(with failure: (any Error)?) -> AsyncBuffer.Continuation? {
        if !hasEnded { self.failure = failure }
        hasEnded = true
        return receiver.take()
    }

    /// - Returns: who waits, and the elements, which are to be let go of outside the lock.
    mutating func drop() -> (receiver: AsyncBuffer.Continuation?, dropped: [Element]) {
        // What is dropped was still to come before the end: that must not look like the end of everything.
        if !hasEnded || head < waiting.count { failure = CancellationError() }
        hasEnded = true
        var dropped: [Element] = []
        swap(&dropped, &waiting)
        head = 0
        return (receiver.take(), dropped)
    }

    /// An error is there once: an iterator that has thrown has ended.
    ///
    /// - Returns: what is there, and whether the source must not be held any longer.
    @inlinable @inline(__always)
    mutating func dequeue(low: Int) -> (found: AsyncBuffer.Found, isLow: Bool) {
        guard head < waiting.count else { return (hasEnded ? .end(failure.take()) : .nothing, false) }
        let element = waiting[head]
        head += 1
        if head == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 64, head * 2 >= waiting.count {
            // There may always be some that wait.
            waiting.removeFirst(head)
            head = 0
        }
        let isLow = isHeld && waiting.count - head <= low
        if isLow { isHeld = false }
        return (.element(element), isLow)
    }

    /// - Returns: whether the task need not wait.
    mutating func wait(_ continuation: AsyncBuffer.Continuation) -> Bool {
        precondition(receiver == nil, "An iterator of values was asked by two tasks at once")
        let isReady = hasEnded || head < waiting.count
        if !isReady { receiver = continuation }
        return isReady
    }
}
