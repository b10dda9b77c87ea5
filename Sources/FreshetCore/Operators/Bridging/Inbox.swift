/// The end of a chain from which a task takes the elements: they wait here for the task, or the task for them.
///
/// What happens to the task's continuation is decided under the lock, by taking it out; so it is resumed exactly once.
final class Inbox<Element: Sendable>: Sink<Element>, Disposable, @unchecked Sendable {
    private typealias Continuation = UnsafeContinuation<Element?, any Error>

    private struct State {
        var waiting: [Element] = []
        var head = 0
        var stop: Result<Element?, any Error>?
        var taker: Continuation?
        var isHeld = false

        var count: Int { waiting.count - head }

        mutating func take() -> Result<Element?, any Error>? {
            guard head < waiting.count else { return stop }
            let element = waiting[head]
            head += 1
            if head == waiting.count {
                waiting.removeAll(keepingCapacity: true)
                head = 0
            }
            return .success(element)
        }
    }

    private let limits: ClosedRange<Int>
    private let state = Locked(State())
    private let source = SingleAssignmentDisposable()

    init(limits: ClosedRange<Int>) {
        self.limits = limits
        super.init()
        Resources.increment()
    }

    deinit { Resources.decrement() }

    override func begin(with subscription: any Disposable) { source.setDisposable(subscription) }

    override func next(_ element: Element) {
        let (taker, isFull) = state.withLock { state -> (Continuation?, Bool) in
            if state.stop != nil { return (nil, false) }
            if let taker = state.taker {
                state.taker = nil
                return (taker, false)
            }
            state.waiting.append(element)
            let isFull = !state.isHeld && state.count >= limits.upperBound
            if isFull { state.isHeld = true }
            return (nil, isFull)
        }
        taker?.resume(returning: element)
        if isFull { tellSource() }
    }

    private func tellSource() {
        tell(source) { state.withLock { $0.isHeld } }
    }

    override func error(_ error: any Error) { stop(with: .failure(error)) }
    override func completed() { stop(with: .success(nil)) }

    private func stop(with result: Result<Element?, any Error>, droppingRest: Bool = false) {
        let (taker, dropped) = state.withLock { state -> (Continuation?, [Element]) in
            if state.stop != nil, !droppingRest { return (nil, []) }
            // What is dropped was still to come before the end: that must not look like the end of everything.
            if state.stop == nil || droppingRest && state.count > 0 { state.stop = result }
            var dropped: [Element] = []
            if droppingRest {
                swap(&dropped, &state.waiting)
                state.head = 0
            }
            defer { state.taker = nil }
            return (state.taker, dropped)
        }
        source.dispose()
        taker?.resume(with: result)
        withExtendedLifetime(dropped) {}
    }

    /// Ends the subscription; who waits, and who asks afterwards, gets a `CancellationError`.
    func dispose() {
        stop(with: .failure(CancellationError()), droppingRest: true)
    }

    func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
        try await withTaskCancellationHandler(
            operation: {
                try await withUnsafeThrowingContinuation(isolation: actor) { (continuation: Continuation) in
                    let (result, isLow) = state.withLock { state -> (Result<Element?, any Error>?, Bool) in
                        precondition(state.taker == nil, "An iterator of values was asked by two tasks at once")
                        let result = state.take()
                        if result == nil { state.taker = continuation }
                        let isLow = state.isHeld && state.count <= limits.lowerBound
                        if isLow { state.isHeld = false }
                        return (result, isLow)
                    }
                    if isLow { tellSource() }
                    if let result { continuation.resume(with: result) }
                }
            }, onCancel: { dispose() }, isolation: actor)
    }
}
