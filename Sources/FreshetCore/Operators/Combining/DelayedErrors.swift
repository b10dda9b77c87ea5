/// The errors that one subscription delays until all its sources have ended.
final class DelayedErrors: Sendable {
    private let errors = Locked<[any Error]>([])

    /// Returns a stream that completes when `source` fails. The error is recorded.
    func delaying<Element>(_ source: Observable<Element>) -> Observable<Element> {
        source.linear { self.delaying($0) }
    }

    /// Does the same for a source that is not known yet: returns a sink in front of `sink`.
    func delaying<Element>(_ sink: Sink<Element>) -> Sink<Element> {
        ErrorDelayingSink(to: sink, self)
    }

    fileprivate func record(_ error: any Error) {
        errors.withLock { $0.append(error) }
    }

    /// The error to end with, or `nil`. A single error is unchanged.
    fileprivate var whole: (any Error)? {
        let errors = errors.withLock { $0 }
        return errors.count > 1 ? CompositeError(errors) : errors.first
    }
}

private final class ErrorDelayingSink<Element>: PassingSink<Element> {
    private let errors: DelayedErrors

    init(to downstream: Sink<Element>, _ errors: DelayedErrors) {
        self.errors = errors
        super.init(to: downstream)
    }

    override func error(_ error: any Error) {
        errors.record(error)
        downstream.completed()
    }
}

/// Delivers the recorded errors when all sources have ended.
final class DelayedErrorSink<Element>: PassingSink<Element> {
    let errors = DelayedErrors()

    /// Ends the stream at once with an error that a closure of the caller has thrown. Errors of sources do not arrive
    /// here. The error is the last one of the composite error.
    override func error(_ error: any Error) {
        errors.record(error)
        completed()
    }

    override func completed() {
        if let error = errors.whole { downstream.error(error) } else { downstream.completed() }
    }
}
