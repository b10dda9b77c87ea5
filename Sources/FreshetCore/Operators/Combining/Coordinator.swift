/// What a combining operator is made of: the subscription that is handed downstream, and the drain through which whatever
/// the sources say arrives as one signal after the other.
///
/// A subclass keeps its state, which is touched in ``handle(_:)`` alone.
class Coordinator<Signal>: Pausable, @unchecked Sendable {
    final let drain = Drain<Signal>()
    final let subscriptions = Subscriptions()

    /// Called for one signal at a time, and no more after the end of the subscription.
    func handle(_ signal: Signal) {}

    final func submit(_ signal: @autoclosure () -> Signal) {
        drain.submit(signal()) { if !subscriptions.isDisposed { handle($0) } }
    }

    final func dispose() { subscriptions.dispose() }
    func pause() { subscriptions.pause() }
    func resume() { subscriptions.resume() }
}

/// One source of a ``Coordinator``: it keeps the source's subscription there, and consumes the source's end.
final class InnerObserver<Element, Signal>: Sink<Element> {
    private let subscriptions: Subscriptions
    private var number = -1
    private let submit: (Event<Element>) -> Void

    init(of coordinator: Coordinator<Signal>, _ signal: @escaping (Event<Element>) -> Signal?) {
        subscriptions = coordinator.subscriptions
        submit = { if let signal = signal($0) { coordinator.submit(signal) } }
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        number = subscriptions.insert(subscription)
    }

    override func next(_ element: Element) {
        submit(.next(element))
    }

    override func error(_ error: any Error) {
        end(with: .error(error))
    }

    override func completed() {
        end(with: .completed)
    }

    private func end(with event: Event<Element>) {
        // At once, and not when the signal's turn comes: the source must not go on until then.
        subscriptions.remove(number)
        submit(event)
    }
}
