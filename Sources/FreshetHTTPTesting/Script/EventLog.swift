import FreshetCore

/// Records elements, and emits them to observers.
final class EventLog<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var count = 0
        var observers: [Int: AnyObserver<Element>] = [:]
        var lastKey = 0
    }

    private let state = Locked(State())
    /// Whether the log keeps past elements.
    private let keeps: Bool

    init(keeps: Bool = true) {
        self.keeps = keeps
    }

    var elements: [Element] { state.withLock { $0.elements } }

    var count: Int { state.withLock { $0.count } }

    func append(_ make: (_ number: Int) -> Element) -> Element {
        let (element, observers) = state.withLock { state in
            state.count += 1
            let element = make(state.count)
            if keeps { state.elements.append(element) }
            return (element, state.observers)
        }
        for (_, observer) in observers.sorted(by: { $0.key < $1.key }) { observer.onNext(element) }
        return element
    }

    /// Emits all kept elements from the first, and then each new one.
    var stream: Observable<Element> {
        .create { [state] observer in
            let (key, elements) = state.withLock { state in
                state.lastKey += 1
                state.observers[state.lastKey] = observer
                return (state.lastKey, state.elements)
            }
            for element in elements { observer.onNext(element) }
            return Disposables.create { _ = state.withLock { $0.observers.removeValue(forKey: key) } }
        }
    }
}
