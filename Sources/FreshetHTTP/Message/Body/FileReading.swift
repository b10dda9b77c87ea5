import FreshetCore

/// One pass over a file. It reads one piece after the other, on a scheduler that may be blocked, until it is paused.
// Unchecked: the lock guards all mutable state except the file and the offset, which only the scheduled work touches.
final class FileReading: TrustedSource, Pausable, @unchecked Sendable {
    private struct State {
        var isHeld = true
        var isDisposed = false
        /// Whether a piece of work is reading. Only one reads at a time.
        var isWorking = false

        /// Whether the caller has to schedule the work.
        mutating func claim() -> Bool {
            if isHeld || isDisposed || isWorking { return false }
            isWorking = true
            return true
        }
    }

    private static let pieceSize = 64 * 1024

    private let path: String
    private let range: Range<Int>?
    private let scheduler: any ImmediateSchedulerType
    private let sink: Sink<[UInt8]>
    private let state = Locked(State())
    private var file: OpenFile?
    private var offset: Int

    init(_ path: String, range: Range<Int>?, on scheduler: any ImmediateSchedulerType, for sink: Sink<[UInt8]>) {
        self.path = path
        self.range = range
        self.scheduler = scheduler
        self.sink = sink
        offset = range?.lowerBound ?? 0
        Resources.increment()
    }

    deinit { Resources.decrement() }

    func start() { resume() }
    func pause() { state.withLock { $0.isHeld = true } }
    func dispose() { state.withLock { $0.isDisposed = true } }

    func resume() {
        let isFirst = state.withLock { state in
            state.isHeld = false
            return state.claim()
        }
        if isFirst { schedule() }
    }

    private func schedule() {
        // Scheduled work that is no longer wanted finds that out by itself.
        _ = scheduler.schedule(self) { reading in
            reading.work()
            return Disposables.create()
        }
    }

    private func work() {
        repeat {
            let isOver = state.withLock { state in
                if state.isHeld || state.isDisposed { state.isWorking = false }
                return !state.isWorking
            }
            if isOver { return }
        } while readOn()
        file = nil
        state.withLock { $0.isDisposed = true }
    }

    /// - Returns: whether there may be more.
    private func readOn() -> Bool {
        let piece = Result { try read() }
        // The subscriber may have disposed while the read blocked.
        if state.withLock({ $0.isDisposed }) { return false }
        switch piece {
        case .success(nil): return true
        case .success(let bytes?) where !bytes.isEmpty:
            sink.next(bytes)
            return true
        case .success: sink.completed()
        case .failure(let error): sink.error(error)
        }
        return false
    }

    /// Reads the next piece: an empty one at the end, and `nil` if there is none for a moment.
    private func read() throws -> [UInt8]? {
        if file == nil { file = try OpenFile(path) }
        let count = range.map { min(Self.pieceSize, $0.upperBound - offset) } ?? Self.pieceSize
        let piece = count == 0 ? [] : try file!.read(at: range == nil ? nil : offset, atMost: count)
        offset += piece?.count ?? 0
        return piece
    }
}
