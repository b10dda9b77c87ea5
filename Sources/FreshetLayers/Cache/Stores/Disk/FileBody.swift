import FreshetCore

/// Reads the file of a body piece by piece, on a scheduler where reading may block.
struct FileBody: Sendable {
    private let file: File
    private let body: SealedBody
    private let scheduler: any SchedulerType

    init(_ file: File, _ body: SealedBody, _ scheduler: any SchedulerType) {
        self.file = file
        self.body = body
        self.scheduler = scheduler
    }

    /// The pieces. Pausing stops reading.
    var pieces: Observable<[UInt8]> {
        .create { observer in
            let reading = Reading(file, body, scheduler, observer)
            reading.readOn()
            return reading
        }
    }

    private final class Reading: Pausable {
        private struct State: Sendable {
            var isPaused = false
            var isReading = false
            var isDisposed = false
            /// How many pieces were read.
            var count = 0
        }

        private let file: File
        private let body: SealedBody
        private let scheduler: any SchedulerType
        private let observer: AnyObserver<[UInt8]>
        private let state = Locked(State())

        init(
            _ file: File, _ body: SealedBody, _ scheduler: any SchedulerType, _ observer: AnyObserver<[UInt8]>
        ) {
            self.file = file
            self.body = body
            self.scheduler = scheduler
            self.observer = observer
        }

        func readOn() {
            let mayRead = state.withLock { state in
                if state.isPaused || state.isReading || state.isDisposed { return false }
                state.isReading = true
                return true
            }
            guard mayRead else { return }
            _ = scheduler.schedule(()) { [self] in
                read()
                return Disposables.create()
            }
        }

        private func read() {
            while let index = state.withLock({ $0.isPaused || $0.isDisposed ? nil : $0.count }) {
                do {
                    let piece = try body.piece(at: index, of: file)
                    if piece.isEmpty { return observer.onCompleted() }
                    state.withLock { $0.count += 1 }
                    observer.onNext(piece)
                } catch {
                    return observer.onError(error)
                }
            }
            state.withLock { $0.isReading = false }
            // It may have been resumed in the meantime.
            readOn()
        }

        func pause() { state.withLock { $0.isPaused = true } }

        func resume() {
            state.withLock { $0.isPaused = false }
            readOn()
        }

        func dispose() { state.withLock { $0.isDisposed = true } }
    }
}
