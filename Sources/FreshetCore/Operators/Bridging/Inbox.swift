import Synchronization

/// The end of a chain from which a task takes the elements: they wait here for the task, or the task for them.
///
/// The task's continuation is resumed by whoever takes it out, under the lock; so it is resumed exactly once. It carries
/// nothing: the task looks for itself what has come. On a thread that works in turns it is resumed at the end of the turn,
/// when more may have come.
// Unchecked: what is mutable is touched under the lock, but for `owed`.
@usableFromInline
final class Inbox<Element: Sendable>: Sink<Element>, Disposable, TurnWork, @unchecked Sendable {
    @usableFromInline typealias Continuation = UnsafeContinuation<Void, Never>

    @usableFromInline let limits: ClosedRange<Int>
    @usableFromInline let lock = Lock()
    @exclusivity(unchecked) @usableFromInline var waiting: [Element] = []
    /// How many of those have been taken.
    @exclusivity(unchecked) @usableFromInline var head = 0
    @exclusivity(unchecked) @usableFromInline var hasEnded = false
    @exclusivity(unchecked) @usableFromInline var failure: (any Error)?
    @exclusivity(unchecked) @usableFromInline var taker: Continuation?
    @exclusivity(unchecked) @usableFromInline var isHeld = false
    /// Who is to be resumed at the end of the turn; its thread's.
    @exclusivity(unchecked) private var owed: Continuation?
    private let put: (Inbox, UnsafePointer<Element>) -> Void
    private let source = SingleAssignmentDisposable()

    /// - Parameter put: puts an element to the others; made where its type is known.
    @usableFromInline
    init(limits: ClosedRange<Int>, put: @escaping (Inbox, UnsafePointer<Element>) -> Void) {
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

    override func begin(with subscription: any Disposable) { source.setDisposable(subscription) }

    override func next(_ element: Element) {
        withUnsafePointer(to: element) { put(self, $0) }
    }

    @inlinable @inline(__always)
    func append(_ element: Element) {
        lock.lock()
        if hasEnded { return lock.unlock() }
        waiting.append(element)
        let taker = taker
        self.taker = nil
        let isFull = !isHeld && waiting.count - head >= limits.upperBound && taker == nil
        if isFull { isHeld = true }
        lock.unlock()
        if let taker { wake(taker) }
        if isFull { tellSource() }
    }

    override func error(_ error: any Error) { end(with: error) }
    override func completed() { end(with: nil) }

    private func end(with failure: (any Error)?) {
        lock.lock()
        if !hasEnded { self.failure = failure }
        hasEnded = true
        let taker = taker
        self.taker = nil
        lock.unlock()
        source.dispose()
        if let taker { wake(taker) }
    }

    @usableFromInline
    func wake(_ taker: Continuation) {
        guard let turnEnd = TurnEnd.current else { return taker.resume() }
        owed = taker
        turnEnd.add(self)
    }

    func turnEnds() {
        let taker = owed
        owed = nil
        taker?.resume()
    }

    @usableFromInline
    func tellSource() {
        tell(source) { lock.withLock { isHeld } }
    }

    /// Ends the subscription; who waits, and who asks afterwards, gets a `CancellationError`.
    @usableFromInline
    func dispose() {
        lock.lock()
        // What is dropped was still to come before the end: that must not look like the end of everything.
        if !hasEnded || head < waiting.count { failure = CancellationError() }
        hasEnded = true
        var dropped: [Element] = []
        swap(&dropped, &waiting)
        head = 0
        let taker = taker
        self.taker = nil
        lock.unlock()
        source.dispose()
        taker?.resume()
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
            switch take() {
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
    func take() -> Found {
        lock.lock()
        guard head < waiting.count else {
            let end = Found.end(failure)
            let hasEnded = hasEnded
            lock.unlock()
            return hasEnded ? end : .nothing
        }
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
        let isLow = isHeld && waiting.count - head <= limits.lowerBound
        if isLow { isHeld = false }
        lock.unlock()
        if isLow { tellSource() }
        return .element(element)
    }

    @usableFromInline
    func wait(_ continuation: Continuation) {
        lock.lock()
        precondition(taker == nil, "An iterator of values was asked by two tasks at once")
        let isReady = hasEnded || head < waiting.count
        if !isReady { taker = continuation }
        lock.unlock()
        if isReady { continuation.resume() }
    }
}
