/// The errors that one subscription keeps for the end.
final class DelayedErrors: Sendable {
    private let errors = Locked<[any Error]>([])

    /// `source`, which completes where it fails: the error is kept.
    func delaying<Element>(_ source: Observable<Element>) -> Observable<Element> {
        source.linear { self.delaying($0) }
    }

    /// The same for a source that is not there yet.
    func delaying<Element>(_ sink: Sink<Element>) -> Sink<Element> {
        ErrorDelayingSink(to: sink, self)
    }

    fileprivate func record(_ error: any Error) {
        errors.withLock { $0.append(error) }
    }

    /// What to end with: one error is told as it is.
    fileprivate var whole: (any Error)? {
        let errors = errors.withLock { $0 }
        return errors.count > 1 ? CompositeError(errors) : errors.first
    }
}

private final class ErrorDelayingSink<Element>: OperatorSink<Element, Element> {
    private let errors: DelayedErrors

    init(to downstream: Sink<Element>, _ errors: DelayedErrors) {
        self.errors = errors
        super.init(to: downstream)
    }

    override func next(_ element: Element) { downstream.next(element) }

    override func error(_ error: any Error) {
        errors.record(error)
        downstream.completed()
    }
}

/// Tells of the errors that were kept when all sources have ended.
final class DelayedErrorSink<Element>: OperatorSink<Element, Element> {
    let errors = DelayedErrors()

    override func next(_ element: Element) { downstream.next(element) }

    /// An error that is no source's, but that of a function of the caller's: it ends everything at once, and comes last.
    override func error(_ error: any Error) {
        errors.record(error)
        completed()
    }

    override func completed() {
        if let error = errors.whole { downstream.error(error) } else { downstream.completed() }
    }
}
