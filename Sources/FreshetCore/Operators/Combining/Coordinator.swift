/// The base class of combining operators. It passes the events of all sources through one drain, so that they arrive as
/// signals one at a time. The sink downstream receives ``subscriptions``.
///
/// A subclass keeps the operator's state, and accesses it only in ``handle(_:)``.
class Coordinator<Signal, Result> {
    final let downstream: Sink<Result>
    final let drain = Drain<Signal>()
    final let subscriptions = Subscriptions()

    init(to downstream: Sink<Result>) {
        self.downstream = downstream
    }

    /// Handles one signal. Calls never overlap, and end with the subscription.
    func handle(_ signal: Signal) {}

    final func submit(_ signal: @autoclosure () -> Signal) {
        drain.submit(signal()) { if !subscriptions.isDisposed { handle($0) } }
    }

    /// Subscribes to a stream whose elements and error are signals. Its completion is none.
    final func subscribe<Element>(
        to trigger: Observable<Element>, next: @escaping (Element) -> Signal, error: @escaping (any Error) -> Signal
    ) {
        trigger.subscribe(
            InnerObserver(of: self) { event in
                switch event {
                case .next(let element): next(element)
                case .error(let failure): error(failure)
                case .completed: nil
                }
            })
    }
}

/// A coordinator whose signals are the downstream events.
class ForwardingCoordinator<Element>: Coordinator<Event<Element>, Element> {
    final override func handle(_ event: Event<Element>) {
        downstream.on(event)
    }
}

/// The observer of one source of a ``Coordinator``. It adds the source's subscription to the coordinator, and removes
/// it at the stop event.
class InnerObserver<Element, Signal>: Sink<Element> {
    private let subscriptions: Subscriptions
    private var number = -1
    private let submit: (Event<Element>) -> Void

    init<Result>(of coordinator: Coordinator<Signal, Result>, _ signal: @escaping (Event<Element>) -> Signal?) {
        subscriptions = coordinator.subscriptions
        submit = { if let signal = signal($0) { coordinator.submit(signal) } }
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        number = subscriptions.insert(subscription)
    }

    override func next(_ element: Element) {
        submit(.next(element))
    }

    final override func error(_ error: any Error) {
        end(with: .error(error))
    }

    final override func completed() {
        end(with: .completed)
    }

    private func end(with event: Event<Element>) {
        // The subscription ends before the signal is handled, so that the source does not continue until then.
        subscriptions.remove(number)
        submit(event)
    }
}
