import FreshetCore

/// Work that completes once. It completes with a failure if it is released before it has run, as when the loop is shut down.
final class FileWork<Value: Sendable>: Sendable {
    typealias Completion = @Sendable (Result<Value, any Error>) -> Void

    private let body: @Sendable () throws -> Value
    private let done: Locked<Completion?>

    init(_ body: @escaping @Sendable () throws -> Value, done: @escaping Completion) {
        self.body = body
        self.done = Locked(done)
    }

    deinit {
        done.withLock { $0.take() }?(
            .failure(
                HTTPClientError(
                    .cancelled, phase: .storing, message: "the loop was shut down",
                    recoverySuggestion: "download with another client")))
    }

    func run(on files: any ImmediateSchedulerType) {
        _ = files.schedule(self) { work in
            let done = work.done.withLock { $0.take() }
            done?(Result(catching: work.body))
            return Disposables.create()
        }
    }
}
