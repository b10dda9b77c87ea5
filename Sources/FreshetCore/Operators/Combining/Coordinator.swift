/// The base class of combining operators. It is the subscription that the sink downstream receives. It passes the
/// events of all sources through one drain, so that they arrive as signals one at a time.
///
/// A subclass keeps the operator's state, and accesses it only in ``handle(_:)``.
class Coordinator<Signal>: Pausable, @unchecked Sendable {
    final let drain = Drain<Signal>()
    final let subscriptions = Subscriptions()

    /// Handles one signal. Calls never overlap, and end with the subscription.
    func handle(_ signal: Signal) {}

    final func submit(_ signal: @autoclosure () -> Signal) {
        drain.submit(signal()) { if !subscriptions.isDisposed { handle($0) } }
    }

    final func dispose() { subscriptions.dispose() }
    func pause() { subscriptions.pause() }
    func resume() { subscriptions.resume() }
}

/// The observer of one source of a ``Coordinator``. It adds the source's subscription to the coordinator, and removes
/// it at the stop event.
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
        // The subscription ends before the signal is handled, so that the source does not continue until then.
        subscriptions.remove(number)
        submit(event)
    }
}
