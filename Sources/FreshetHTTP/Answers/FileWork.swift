import FreshetCore

/// Work that ends once, with a failure if it is let go of without having been done, as when the loop is shut down.
final class FileWork: @unchecked Sendable {
    private let body: () throws -> Void
    private var done: ((Result<Void, any Error>) -> Void)?

    init(_ body: @escaping () throws -> Void, done: @escaping (Result<Void, any Error>) -> Void) {
        self.body = body
        self.done = done
    }

    deinit {
        done?(
            .failure(
                HTTPClientError(
                    .cancelled, phase: .storing, message: "the loop was shut down",
                    remedy: "download with another client")))
    }

    func run(on files: any ImmediateSchedulerType) {
        _ = files.schedule(self) { work in
            let done = work.done
            work.done = nil
            done?(Result(catching: work.body))
            return Disposables.create()
        }
    }
}
