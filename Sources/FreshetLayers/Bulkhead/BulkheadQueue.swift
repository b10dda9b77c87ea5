import FreshetCore
import FreshetHTTP

/// The requests to one origin: the running ones and the waiting ones.
final class BulkheadQueue: Sendable {
    private struct State: Sendable {
        var running = 0
        /// By their numbers, so that one of many can leave quickly.
        var waiting: [Int: BulkheadPermit] = [:]
        /// The number of the next request to start, and that of the next one to wait.
        var (first, end) = (0, 0)
    }

    private let limit: Int
    private let queueLimit: Int
    private let state = Locked(State())
    private let calls = SerialCalls()

    init(limit: Int, queueLimit: Int) {
        self.limit = limit
        self.queueLimit = queueLimit
    }

    var isEmpty: Bool { state.withLock { $0.running == 0 && $0.waiting.isEmpty } }

    enum Admission {
        case runs, refused
        case waits(Int)
    }

    func enter(_ permit: BulkheadPermit) -> Admission {
        state.withLock { state in
            if state.running < limit {
                state.running += 1
                return .runs
            }
            guard state.waiting.count < queueLimit else { return .refused }
            defer { state.end += 1 }
            state.waiting[state.end] = permit
            return .waits(state.end)
        }
    }

    /// Ends a running request, and starts the next waiting one. A request that ends within its start does not deepen the stack.
    func leave() {
        calls.run { startNext() }
    }

    private func startNext() {
        while true {
            let next = state.withLock { state -> BulkheadPermit? in
                while state.first < state.end {
                    defer { state.first += 1 }
                    if let next = state.waiting.removeValue(forKey: state.first) { return next }
                }
                state.running -= 1
                return nil
            }
            guard let next else { return }
            // A request that was disposed of in the meantime does not run, so the next one starts instead.
            if next.run(hasWaited: true) { return }
        }
    }

    func remove(_ number: Int) { state.withLock { _ = $0.waiting.removeValue(forKey: number) } }
}

/// One request in a ``BulkheadQueue``.
final class BulkheadPermit: Pausable, Sendable {
    private enum Stage: Sendable {
        /// With its number in the queue, once it has one.
        case waiting(Int?)
        case running, left
    }

    private let queue: BulkheadQueue
    private let parts: Observable<ResponsePart>
    private let observer: AnyObserver<ResponsePart>
    private let isLongLived: Bool
    private let stage = Locked(Stage.waiting(nil))
    private let subscription = SingleAssignmentDisposable()

    init(
        _ queue: BulkheadQueue, _ parts: Observable<ResponsePart>, to observer: AnyObserver<ResponsePart>,
        isLongLived: Bool
    ) {
        (self.queue, self.parts, self.observer, self.isLongLived) = (queue, parts, observer, isLongLived)
    }

    func runAtOnce() {
        if !run(hasWaited: false) { queue.leave() }
    }

    /// Remembers the request's number in the queue, unless its turn has come meanwhile.
    func wait(as number: Int) {
        stage.withLock { stage in
            if case .waiting = stage { stage = .waiting(number) }
        }
    }

    /// - Returns: whether the request begins. It does not begin if it was disposed of.
    func run(hasWaited: Bool) -> Bool {
        let isWanted = stage.withLock { stage in
            guard case .waiting = stage else { return false }
            stage = .running
            return true
        }
        guard isWanted else { return false }
        if hasWaited { observer.onNext(.phase(.layer(LayerEvent("bulkhead", "waited")))) }
        subscription.setDisposable(
            parts.subscribe { [self] event in
                switch event {
                case .next(.head): if isLongLived { leave() }
                case .next: break
                case .error, .completed: leave()
                }
                observer.on(event)
            })
        return true
    }

    private func leave() {
        let before = stage.withLock { stage in
            defer { stage = .left }
            return stage
        }
        switch before {
        case .waiting(let number): if let number { queue.remove(number) }
        case .running: queue.leave()
        case .left: break
        }
    }

    func dispose() {
        leave()
        subscription.dispose()
    }

    func pause() { subscription.pause() }
    func resume() { subscription.resume() }
}
