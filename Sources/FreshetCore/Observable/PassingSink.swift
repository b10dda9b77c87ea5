/// A sink that passes all elements on unchanged. A subclass changes only what surrounds them: the subscription or the stop
/// event.
class PassingSink<Element>: OperatorSink<Element, Element> {
    final override func next(_ element: Element) { downstream.next(element) }
}

/// Ends a resource together with the subscription, and pauses it too if it is ``Pausable``.
final class ResourceSink<Element>: PassingSink<Element> {
    private let resource: any Disposable

    init(to downstream: Sink<Element>, _ resource: any Disposable) {
        self.resource = resource
        super.init(to: downstream)
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        downstream.begin(with: CompositeDisposable(subscription, resource))
    }
}

/// Adds the subscription to ``subscriptions``, which downstream has received before.
final class CompositeSink<Element>: PassingSink<Element> {
    let subscriptions = CompositeDisposable()

    override func begin(with subscription: any Disposable & AnyObject) { subscriptions.insert(subscription) }
}
