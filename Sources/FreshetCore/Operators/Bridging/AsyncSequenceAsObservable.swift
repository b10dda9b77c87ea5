extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Returns a stream of the elements. Each subscription iterates the sequence anew in a task.
    /// Source: RxSwift's `asObservable`.
    ///
    /// Disposing of the subscription cancels the task and thereby the iterator, also if it happens before the first
    /// element. While the subscription is paused, the task does not request elements.
    public func asObservable(priority: TaskPriority? = nil) -> Observable<Element> {
        Producer { downstream in
            let reader = Reader(to: downstream)
            downstream.begin(with: reader)
            reader.start(self, priority: priority)
        }
    }
}

private final class Reader<Element: Sendable>: Pausable, @unchecked Sendable {
    private struct State {
        var isPaused = false
        var isDisposed = false
        var task: Task<Void, Never>?
        var sleeper: UnsafeContinuation<Void, Never>?
    }

    private let downstream: Sink<Element>
    private let state = Locked(State())

    init(to downstream: Sink<Element>) {
        self.downstream = downstream
        Resources.increment()
    }

    deinit { Resources.decrement() }

    func start<Elements: AsyncSequence & Sendable>(_ elements: Elements, priority: TaskPriority?)
    where Elements.Element == Element {
        let task = Task(priority: priority) { await self.read(elements) }
        let isLate = state.withLock { state in
            if !state.isDisposed { state.task = task }
            return state.isDisposed
        }
        if isLate { task.cancel() }
    }

    /// An iterator notices a cancellation only in a call that runs in the cancelled task. The loop therefore calls
    /// `next` once more after the cancellation.
    private func read<Elements: AsyncSequence>(_ elements: Elements) async where Elements.Element == Element {
        do {
            var iterator = elements.makeAsyncIterator()
            var knows = false
            while !knows {
                await waitWhilePaused()
                knows = Task.isCancelled
                guard let element = try await iterator.next() else { break }
                if !isDisposed { downstream.next(element) }
            }
            if !isDisposed { downstream.completed() }
        } catch {
            if !isDisposed { downstream.error(error) }
        }
    }

    private var isDisposed: Bool { state.withLock { $0.isDisposed } }

    private func waitWhilePaused() async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let isFree = state.withLock { state in
                if !state.isPaused || state.isDisposed { return true }
                state.sleeper = continuation
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let sleeper = state.withLock { state in
            change(&state)
            return state.sleeper.take()
        }
        sleeper?.resume()
    }

    func pause() { state.withLock { $0.isPaused = true } }
    func resume() { wake { $0.isPaused = false } }

    func dispose() {
        var task: Task<Void, Never>?
        wake { state in
            state.isDisposed = true
            task = state.task.take()
        }
        task?.cancel()
    }
}
