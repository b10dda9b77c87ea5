import Synchronization

/// The end of a chain from which a task takes the elements. Elements wait here for the task, or the task waits here for
/// an element.
///
/// The caller that removes the task's continuation from the state, under the lock, resumes it. The continuation is
/// therefore resumed exactly once. It carries no value: the resumed task looks into the buffer itself. On a thread that
/// works in turns the continuation is resumed at the end of the turn, when more elements may have arrived.
// Unchecked: only the thread whose turn it is accesses `owed`.
@usableFromInline
final class AsyncBuffer<Element: Sendable>: Sink<Element>, Disposable, TurnWork, @unchecked Sendable {
    @usableFromInline typealias Continuation = UnsafeContinuation<Void, Never>

    @usableFromInline
    struct State {
        @usableFromInline var waiting: [Element?] = []
        /// The number of elements in `waiting` that the task has already taken.
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
    /// The continuation to resume at the end of the turn. Only the thread of the turn accesses it.
    private var owed: Continuation?
    private let put: (AsyncBuffer, UnsafePointer<Element>) -> Void
    private let source = SingleAssignmentDisposable()

    /// - Parameter put: appends an element to the buffer. It is made where the element's type is known.
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

    override func begin(with subscription: any Disposable & AnyObject) {
        source.setDisposable(subscription.pausedInCurrentContext)
    }

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
        source.pauseOrResume { state.withLock { $0.isHeld } }
    }

    /// Ends the subscription. The waiting task, or else the next call of `next`, throws `CancellationError`. Later
    /// calls return `nil`. If the stream has ended and the task has taken all elements, `dispose` has no effect on the
    /// task.
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
    /// - Returns: the continuation of the task that waits for the element, and whether the caller has to pause the
    ///   source.
    @inlinable @inline(__always)
    mutating func append(_ element: Element, limit: Int) -> (receiver: AsyncBuffer.Continuation?, isFull: Bool) {
        if hasEnded { return (nil, false) }
        waiting.append(element)
        let receiver = receiver.take()
        let isFull = !isHeld && waiting.count - head >= limit && receiver == nil
        if isFull { isHeld = true }
        return (receiver, isFull)
    }

    /// - Returns: the continuation of the waiting task.
    mutating func end(with failure: (any Error)?) -> AsyncBuffer.Continuation? {
        if !hasEnded { self.failure = failure }
        hasEnded = true
        return receiver.take()
    }

    /// - Returns: the continuation of the waiting task, and the elements, which the caller releases outside the lock.
    mutating func drop() -> (receiver: AsyncBuffer.Continuation?, dropped: [Element?]) {
        // The task has not received the dropped elements, so it must not take the drop for the regular end.
        if !hasEnded || head < waiting.count { failure = CancellationError() }
        hasEnded = true
        var dropped: [Element?] = []
        swap(&dropped, &waiting)
        head = 0
        return (receiver.take(), dropped)
    }

    /// Removes the next element. The result contains the error of the stream only once, because an iterator that has
    /// thrown has ended.
    ///
    /// - Returns: the result, and whether the caller has to resume the source.
    @inlinable @inline(__always)
    mutating func dequeue(low: Int) -> (found: AsyncBuffer.Found, isLow: Bool) {
        guard head < waiting.count else { return (hasEnded ? .end(failure.take()) : .nothing, false) }
        let element = waiting[head].take().unsafelyUnwrapped
        head += 1
        if head == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 64, head * 2 >= waiting.count {
            // Frees the taken elements here, because the buffer may never become empty.
            waiting.removeFirst(head)
            head = 0
        }
        let isLow = isHeld && waiting.count - head <= low
        if isLow { isHeld = false }
        return (.element(element), isLow)
    }

    /// - Returns: whether the caller has to resume the task at once.
    mutating func wait(_ continuation: AsyncBuffer.Continuation) -> Bool {
        precondition(receiver == nil, "An iterator of values was asked by two tasks at once")
        let isReady = hasEnded || head < waiting.count
        if !isReady { receiver = continuation }
        return isReady
    }
}
