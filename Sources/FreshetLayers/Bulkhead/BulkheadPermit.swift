import FreshetCore
import FreshetHTTP

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
        if run(hasWaited: false) { return }
        queue.vacate()
        queue.fill()
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
                // The place is free before the event is delivered, for a request that follows this one, such as that of a redirect.
                // Those that wait start afterwards, because an error can end them.
                let leaves = if case .next(.head) = event { isLongLived } else { event.isStopEvent }
                let hadPlace = leaves && leave()
                if hadPlace { queue.vacate() }
                observer.on(event)
                if hadPlace { queue.fill() }
            })
        return true
    }

    /// - Returns: whether the request had a place, which the caller has to free.
    private func leave() -> Bool {
        let before = stage.withLock { stage in
            defer { stage = .left }
            return stage
        }
        switch before {
        case .waiting(let number): if let number { queue.remove(number) }
        case .running: return true
        case .left: break
        }
        return false
    }

    func dispose() {
        let hadPlace = leave()
        subscription.dispose()
        guard hadPlace else { return }
        queue.vacate()
        queue.fill()
    }

    func pause() { subscription.pause() }
    func resume() { subscription.resume() }
}
