/// A buffer of the elements that a stream has emitted and that its consumer has not taken yet. It is for a consumer
/// that asks at its own pace and cannot wait, such as the callback of a C library. The buffer pauses the stream while
/// it is full.
///
/// Disposing of the buffer ends the subscription and releases the elements.
package final class PullBuffer<Element: Sendable>: Disposable {
    package enum Content {
        case element(Element)
        /// There is no element now. The buffer calls `onRefill` when that changes.
        case nothing
        /// The stream has ended, and the consumer has taken all elements.
        case ended((any Error)?)
    }

    private struct State {
        var waiting = Fifo<Element>()
        var size = 0
        var end: Event<Never>?
        var isHeld = false
        var isAwaited = false
        var isDisposed = false

        /// Returns whether the caller has to call `onRefill`.
        mutating func wakes() -> Bool { exchange(&isAwaited, with: false) }
    }

    private let limits: ClosedRange<Int>
    private let sizeOf: @Sendable (Element) -> Int
    private let onRefill: @Sendable () -> Void
    private let state = Locked(State())
    fileprivate let source = SingleAssignmentDisposable()

    /// - Parameters:
    ///   - limits: the buffer pauses the stream when the size of the waiting elements reaches the upper bound, and
    ///     resumes it at the lower bound.
    ///   - size: returns the size of an element. The default is 1.
    ///   - onRefill: called once, on any thread, when an element or the end arrives after ``pull()`` has returned
    ///     `nothing`.
    package init(
        limits: ClosedRange<Int>, size: @escaping @Sendable (Element) -> Int = { _ in 1 },
        onRefill: @escaping @Sendable () -> Void
    ) {
        self.limits = limits
        sizeOf = size
        self.onRefill = onRefill
        Resources.increment()
    }

    deinit { Resources.decrement() }

    /// Subscribes to `source`. Can be called once.
    package func fill(from source: Observable<Element>) {
        source.subscribe(PullBufferSink(of: self))
    }

    fileprivate func append(_ element: Element) {
        let size = sizeOf(element)
        let (wakes, isFull) = state.withLock { state in
            if state.isDisposed { return (false, false) }
            state.waiting.append(element)
            state.size += size
            let isFull = !state.isHeld && state.size >= limits.upperBound
            if isFull { state.isHeld = true }
            return (state.wakes(), isFull)
        }
        if isFull { updateSource() }
        if wakes { onRefill() }
    }

    fileprivate func end(with event: Event<Never>) {
        source.dispose()
        let wakes = state.withLock { state in
            state.end = event
            return !state.isDisposed && state.wakes()
        }
        if wakes { onRefill() }
    }

    package func pull() -> Content {
        let (content, isLow) = state.withLock { state -> (Content, Bool) in
            guard let element = state.waiting.popFirst() else {
                if let end = state.end { return (.ended(end.error), false) }
                state.isAwaited = true
                return (.nothing, false)
            }
            state.size -= sizeOf(element)
            let isLow = state.isHeld && state.size <= limits.lowerBound
            if isLow { state.isHeld = false }
            return (.element(element), isLow)
        }
        if isLow { updateSource() }
        return content
    }

    private func updateSource() {
        source.pauseOrResume { state.withLock { $0.isHeld } }
    }

    package func dispose() {
        let waiting = state.withLock { state in
            state.isDisposed = true
            return exchange(&state.waiting, with: Fifo())
        }
        source.dispose()
        withExtendedLifetime(waiting) {}
    }
}

private final class PullBufferSink<Element: Sendable>: Sink<Element> {
    private let buffer: PullBuffer<Element>

    init(of buffer: PullBuffer<Element>) {
        self.buffer = buffer
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        buffer.source.setDisposable(subscription.pausedInCurrentContext)
    }
    override func next(_ element: Element) { buffer.append(element) }
    override func error(_ error: any Error) { buffer.end(with: .error(error)) }
    override func completed() { buffer.end(with: .completed) }
}
