/// A pipe that has more to say after an element: the end, or what is left when its source has ended. Therefore the
/// subscription is one of its own: where that element has ended the stream further down, the rest has to stay unsaid.
@usableFromInline
class ClosingPipe<Element, Result>: Pipe<Element, Result>, @unchecked Sendable {
    private let subscription = SingleAssignmentDisposable()

    @usableFromInline
    override init(to downstream: Sink<Result>) {
        super.init(to: downstream)
    }

    @usableFromInline
    override func begin(with source: any Disposable & AnyObject) {
        subscription.setDisposable(source)
        downstream.begin(with: subscription)
    }

    /// Emits `element` as the last one.
    @usableFromInline
    final func finish(with element: Result) {
        downstream.next(element)
        if !isDisposed { downstream.completed() }
    }

    @usableFromInline final var isDisposed: Bool { subscription.isDisposed }
}
