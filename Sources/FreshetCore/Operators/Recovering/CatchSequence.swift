import Synchronization

/// One source after the other, as long as they fail: what `catch`, `retry` and `catch(sequence:)` are made of.
///
/// A source that fails within its own subscription only leaves a mark, and a loop subscribes to the next one, so that a
/// million failures at once take no stack.
final class CatchSequenceSink<Element>: Sink<Element>, @unchecked Sendable {
    private let downstream: Sink<Element>
    private let following: ((any Error)?) throws -> Observable<Element>?
    private let subscription = SerialDisposable()
    private let work = Atomic<Int>(0)
    private var lastError: (any Error)?

    /// - Parameter following: the source to go on with after an error, or `nil` to end with the error; the first call,
    ///   without an error, asks for the first source.
    init(to downstream: Sink<Element>, following: @escaping ((any Error)?) throws -> Observable<Element>?) {
        self.downstream = downstream
        self.following = following
    }

    func start() {
        downstream.begin(with: subscription)
        advance()
    }

    override func begin(with subscription: any Disposable) {
        self.subscription.disposable = subscription
    }

    override func next(_ element: Element) { downstream.next(element) }
    override func completed() { downstream.completed() }

    override func error(_ error: any Error) {
        // At once: an operator that made the error of an element has a source that knows nothing of it and goes on.
        subscription.disposable = Disposables.create()
        lastError = error
        advance()
    }

    private func advance() {
        guard work.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
        repeat {
            if subscription.isDisposed { return }
            do {
                if let source = try following(lastError) {
                    source.subscribe(self)
                } else if let lastError {
                    downstream.error(lastError)
                } else {
                    downstream.completed()
                }
            } catch {
                downstream.error(error)
            }
        } while work.subtract(1, ordering: .acquiringAndReleasing).newValue != 0
    }
}
