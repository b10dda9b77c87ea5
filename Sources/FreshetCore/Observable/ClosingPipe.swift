/// A pipe that still has elements to say when its source has ended. Therefore the subscription is one of its own: a `dispose`
/// after one of those elements has to silence the rest.
@usableFromInline
class ClosingPipe<Element, Result>: Pipe<Element, Result>, @unchecked Sendable {
    private let subscription = SingleAssignmentDisposable()

    @usableFromInline
    override init(to downstream: Sink<Result>) {
        super.init(to: downstream)
    }

    @usableFromInline
    override func begin(with source: any Disposable) {
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
