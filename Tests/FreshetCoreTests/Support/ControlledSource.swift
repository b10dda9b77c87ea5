import FreshetCore

/// A source that a test controls. It logs the calls on its subscriptions.
final class ControlledSource<Element: Sendable>: Sendable {
    private struct State {
        var observers: [(Int, AnyObserver<Element>)] = []
        var subscriptions = 0
        var log: [String] = []
    }

    private let state = Locked(State())

    /// The number of observers now.
    var observers: Int { state.withLock { $0.observers.count } }
    /// The number of subscriptions so far.
    var subscriptions: Int { state.withLock { $0.subscriptions } }
    /// `pause`, `resume` and `dispose`, in order.
    var log: [String] { state.withLock { $0.log } }

    var stream: Observable<Element> {
        .create { observer in
            let number = self.state.withLock { state in
                state.subscriptions += 1
                state.observers.append((state.subscriptions, observer))
                return state.subscriptions
            }
            return Subscription(source: self, number: number)
        }
    }

    func send(_ event: Event<Element>) {
        for (_, observer) in state.withLock({ $0.observers }) { observer.on(event) }
    }

    func send(_ elements: Element...) {
        for element in elements { send(.next(element)) }
    }

    func complete() { send(.completed) }
    func fail(_ error: any Error = Fault.first) { send(.error(error)) }

    private struct Subscription: Pausable {
        let source: ControlledSource
        let number: Int

        func dispose() {
            source.state.withLock { state in
                let before = state.observers.count
                state.observers.removeAll { $0.0 == number }
                if state.observers.count < before { state.log.append("dispose") }
            }
        }

        func pause() { source.state.withLock { $0.log.append("pause") } }
        func resume() { source.state.withLock { $0.log.append("resume") } }
    }
}
