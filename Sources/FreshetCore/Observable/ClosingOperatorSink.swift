/// An operator's sink that has more to say after an element: the end, another element, or what is left when its source has
/// ended. Therefore the subscription is one of its own: where that element has ended the stream further down, the rest has
/// to stay unsaid.
open class ClosingOperatorSink<Element, Result>: OperatorSink<Element, Result> {
    private let subscription = SingleAssignmentDisposable()

    public override init(to downstream: Sink<Result>) {
        super.init(to: downstream)
    }

    open override func begin(with source: any Disposable & AnyObject) {
        subscription.setDisposable(source)
        downstream.begin(with: subscription)
    }

    /// Emits `element` as the last one.
    public final func finish(with element: Result) {
        downstream.next(element)
        if !isDisposed { downstream.completed() }
    }

    /// Whether nobody listens any more. To be asked before anything that follows an element.
    public final var isDisposed: Bool { subscription.isDisposed }
}
