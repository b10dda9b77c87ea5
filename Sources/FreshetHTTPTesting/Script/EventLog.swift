import FreshetCore

/// Records elements, and emits them to observers: to each one all elements in order, one at a time.
final class EventLog<Element: Sendable>: Sendable {
    private struct Member {
        var observer: AnyObserver<Element>
        /// The number of elements that were recorded when it subscribed.
        var start: Int
    }

    private struct State {
        var elements: [Element] = []
        var count = 0
        var members: [Int: Member] = [:]
        var lastKey = 0
    }

    private enum Signal {
        case element(Element, number: Int)
        /// The elements that were recorded when this observer subscribed.
        case past([Element], key: Int)
    }

    private let state = Locked(State())
    /// Signals enter it under the lock, and so in the order of the changes of the state.
    private let drain = Drain<Signal>()
    /// Whether the log keeps past elements.
    private let keeps: Bool

    init(keeps: Bool = true) {
        self.keeps = keeps
    }

    var elements: [Element] { state.withLock { $0.elements } }

    var count: Int { state.withLock { $0.count } }

    func append(_ make: (_ number: Int) -> Element) -> Element {
        let (element, isFirst) = state.withLock { state in
            state.count += 1
            let element = make(state.count)
            if keeps { state.elements.append(element) }
            return (element, drain.enqueue(.element(element, number: state.count)))
        }
        if isFirst { drain.drain { emit($0) } }
        return element
    }

    /// Emits all kept elements from the first, and then each new one.
    var stream: Observable<Element> {
        .create { [self] observer in
            let (key, isFirst) = state.withLock { state in
                state.lastKey += 1
                state.members[state.lastKey] = Member(observer: observer, start: state.count)
                return (state.lastKey, drain.enqueue(.past(state.elements, key: state.lastKey)))
            }
            if isFirst { drain.drain { emit($0) } }
            return Disposables.create { [state] in
                _ = state.withLock { $0.members.removeValue(forKey: key) }
            }
        }
    }

    private func emit(_ signal: Signal) {
        switch signal {
        case .element(let element, let number):
            let members = state.withLock { $0.members.filter { $0.value.start < number } }
            for (_, member) in members.sorted(by: { $0.key < $1.key }) { member.observer.onNext(element) }
        case .past(let elements, let key):
            guard let observer = state.withLock({ $0.members[key]?.observer }) else { return }
            for element in elements { observer.onNext(element) }
        }
    }
}
