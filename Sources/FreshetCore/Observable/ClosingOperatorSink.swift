/// The sink of an operator that can emit something after an element: the end, another element, or remaining elements
/// after its source has ended.
///
/// The sink passes a subscription of its own downstream. If an element makes a downstream operator or the observer
/// dispose of that subscription, ``isDisposed`` is `true` and the operator must not emit anything more.
open class ClosingOperatorSink<Element, Result>: OperatorSink<Element, Result> {
    private let subscription = SingleAssignmentDisposable()

    public override init(to downstream: Sink<Result>) {
        super.init(to: downstream)
    }

    open override func begin(with source: any Disposable & AnyObject) {
        subscription.setDisposable(source)
        downstream.begin(with: subscription)
    }

    /// Emits `element`, and then the completion unless the subscription has been disposed of.
    public final func finish(with element: Result) {
        downstream.next(element)
        if !isDisposed { downstream.completed() }
    }

    /// Whether downstream has disposed of the subscription. The operator checks this before it emits anything after an element.
    public final var isDisposed: Bool { subscription.isDisposed }
}
