/// A pipe that still has elements to say when its source has ended. Therefore it is the subscription itself: a `dispose`
/// after one of those elements has to silence the rest.
@usableFromInline
class ClosingPipe<Element, Result>: Pipe<Element, Result>, Cancelable, Pausable, @unchecked Sendable {
    private let source = SingleAssignmentDisposable()

    @usableFromInline
    override init(to downstream: Sink<Result>) {
        super.init(to: downstream)
    }

    @usableFromInline
    override func begin(with subscription: any Disposable) {
        source.setDisposable(subscription)
        downstream.begin(with: self)
    }

    /// Emits `element` as the last one.
    @usableFromInline
    final func finish(with element: Result) {
        downstream.next(element)
        if !isDisposed { downstream.completed() }
    }

    @usableFromInline final var isDisposed: Bool { source.isDisposed }

    @usableFromInline
    final func dispose() {
        source.dispose()
    }

    @usableFromInline
    final func pause() {
        source.pause()
    }

    @usableFromInline
    final func resume() {
        source.resume()
    }
}
