import CFreshetUV
public import FreshetCore

extension ObservableType where Element == [UInt8] {
    /// Writes the elements to a descriptor, in order, and completes when all of them are written. The descriptor can be
    /// that of a pipe, a terminal, a socket or a file.
    ///
    /// The loop never waits for the reader. The source is paused when more than `highWater` bytes wait, and resumed
    /// when at most half of `highWater` is left. Elements that arrive in one turn of the loop are written together. A
    /// file is written on libuv's thread pool. An error of the source is delivered after all elements before it are written.
    ///
    /// The caller owns the descriptor, and may close it after the end. The writer leaves the descriptor in its original mode.
    ///
    /// Events come on the loop. If a call fails, the stream ends with a ``FreshetLoop/LoopError``. Its `isBrokenPipe`
    /// is `true` if nothing reads any more: a pipe reports that at once, and a socket at the next write. No signal is raised.
    ///
    ///     loop.bytes(from: STDIN_FILENO).written(to: STDOUT_FILENO, on: loop)
    public func written(to descriptor: Int32, on loop: Loop, highWater: Int = 256 * 1024) -> Completable {
        let source = asObservable()
        return Observable<Never>.create { observer in
            DescriptorWriter(to: descriptor, on: loop, highWater: highWater, observer)
        } start: { writer in
            writer.start(source)
        }
        .asCompletable()
    }
}

/// Queues the elements, and writes them as fast as the descriptor accepts them.
private final class DescriptorWriter: ObserverType, Pausable {
    typealias Element = [UInt8]

    private struct State {
        var queue = OutputQueue()
        /// The number of bytes that are not written yet, including those of the queue.
        var waiting = 0
        var end: Event<[UInt8]>?
        /// Whether the loop takes the next piece from the queue without being woken.
        var isAwake = false
        var holdsSource = false
        var isHeld = false
        var isOver = false
    }

    private struct Output {
        var open: OpenDescriptor?
        /// The piece that is being written, and how many of its bytes have been written.
        var piece: (bytes: [UInt8], written: Int)?
        /// Whether a call in the pool writes.
        var isInPool = false
    }

    private let borrowed: Int32
    private let loop: Loop
    private let highWater: Int
    private let observer: AnyObserver<Never>
    private let source = SerialDisposable()
    private let state = Locked(State())
    private let output: LoopBound<Output>

    init(to borrowed: Int32, on loop: Loop, highWater: Int, _ observer: AnyObserver<Never>) {
        self.borrowed = borrowed
        self.loop = loop
        self.highWater = max(0, highWater)
        self.observer = observer
        output = .sending(Output(), on: loop)
        Resources.increment()
    }

    deinit { Resources.decrement() }

    // MARK: From any thread

    func start(_ elements: Observable<[UInt8]>) {
        guard loop.begin({ self.open() }) else { return emit(.error(LoopError.loopHasEnded)) }
        elements.subscribe(self, in: source)
    }

    func on(_ event: Event<[UInt8]>) {
        let (wakes, changesFlow) = state.withLock { state in
            if state.isOver { return (false, false) }
            if case .next(let bytes) = event {
                state.queue.append(bytes)
                state.waiting += bytes.count
            } else {
                state.end = event
            }
            defer { state.isAwake = true }
            // A source can emit although it should be paused: a slower thread has resumed it because of an earlier
            // state. It is paused again then.
            return (!state.isAwake, decideFlow(&state) || state.holdsSource)
        }
        if wakes { loop.afterTurn { self.write() } }
        if changesFlow { updateSource() }
    }

    /// Pauses the source. No observer downstream is slow, but the holder of the subscription can ask for a pause.
    func pause() {
        state.withLock { $0.isHeld = true }
        updateSource()
    }

    func resume() {
        state.withLock { $0.isHeld = false }
        updateSource()
    }

    func dispose() {
        if finish() { loop.run { self.returnDescriptor() } }
    }

    /// - Returns: whether the source has to be paused or resumed.
    private func decideFlow(_ state: inout State) -> Bool {
        guard state.waiting > highWater ? !state.holdsSource : state.holdsSource && state.waiting <= highWater / 2
        else { return false }
        state.holdsSource.toggle()
        return true
    }

    private func updateSource() {
        source.pauseOrResume { state.withLock { $0.holdsSource || $0.isHeld } }
    }

    /// - Returns: `false` if the writer had ended before.
    private func finish() -> Bool {
        let wasOver = state.withLock { state in
            defer { state.isOver = true }
            return state.isOver
        }
        if !wasOver { source.dispose() }
        return !wasOver
    }

    // MARK: On the loop

    private func open() {
        guard !state.withLock({ $0.isOver }) else { return }
        do {
            output.value.open = try OpenDescriptor(
                borrowed, for: .writing, on: loop, ended: { self.end(with: .error(LoopError.loopHasEnded)) },
                ready: { [unowned self] in ready($0) })
            try watch(for: [])
        } catch {
            end(with: .error(error))
        }
    }

    /// Watches for `events`. On a pipe also watches for the end of its reader, which is reported even if there is
    /// nothing to write.
    private func watch(for events: LoopPoll.Events) throws {
        let isPipe = output.value.open?.descriptor.isPipe ?? false
        try output.value.open?.poll?.watch(for: isPipe ? events.union(.disconnected) : events)
    }

    private func ready(_ events: LoopPoll.Events) {
        if events.contains(.failed), output.value.piece == nil, output.value.open?.descriptor.isPipe ?? false {
            end(with: .error(LoopError(code: UV_EPIPE.rawValue)))
        } else {
            write()
        }
    }

    private func write() {
        do {
            if output.value.open?.poll == nil { writeInPool() } else { try writeAtOnce() }
        } catch {
            end(with: .error(error))
        }
    }

    /// Writes a few pieces at most, so that the loop serves its other descriptors too.
    private func writeAtOnce() throws {
        for _ in 0..<16 {
            guard let descriptor = output.value.open?.descriptor, let (bytes, start) = nextPiece() else {
                return try watch(for: [])
            }
            let count = try bytes.withUnsafeBytes { try descriptor.write(.init(rebasing: $0[start...])) }
            wrote(count)
            if output.value.piece != nil { break }
        }
        if output.value.open != nil { try watch(for: .writable) }
    }

    private func writeInPool() {
        guard !output.value.isInPool, let descriptor = output.value.open?.descriptor, let (bytes, start) = nextPiece()
        else { return }
        output.value.isInPool = true
        // The closure retains the descriptor, which is closed only after the call has returned.
        _ = BlockingScheduler(on: loop).schedule(()) { _ in
            let result = Result { try bytes.withUnsafeBytes { try descriptor.write(.init(rebasing: $0[start...])) } }
            self.loop.execute { self.poolWriteEnded(result) }
            return Disposables.create()
        }
    }

    private func poolWriteEnded(_ result: Result<Int, any Error>) {
        output.value.isInPool = false
        switch result {
        case .success(let count):
            wrote(count)
            write()
        case .failure(let error): end(with: .error(error))
        }
    }

    /// Returns the piece to write now; `nil` if there is none. Delivers the end of the source when all pieces before it
    /// are written.
    private func nextPiece() -> (bytes: [UInt8], written: Int)? {
        if let piece = output.value.piece { return piece }
        let (bytes, end) = state.withLock { state in
            let bytes = state.queue.popFirst()
            if bytes == nil { state.isAwake = false }
            return (bytes, bytes == nil ? state.end : nil)
        }
        if let end { self.end(with: end) }
        output.value.piece = bytes.map { ($0, 0) }
        return output.value.piece
    }

    private func wrote(_ count: Int) {
        guard let (bytes, written) = output.value.piece else { return }
        output.value.piece = written + count < bytes.count ? (bytes, written + count) : nil
        let changesFlow = state.withLock { state in
            state.waiting -= count
            return decideFlow(&state)
        }
        if changesFlow { updateSource() }
    }

    private func end(with event: Event<[UInt8]>) {
        returnDescriptor()
        emit(event)
    }

    private func emit(_ event: Event<[UInt8]>) {
        guard finish() else { return }
        if case .error(let error) = event { observer.onError(error) } else { observer.onCompleted() }
    }

    private func returnDescriptor() {
        let open = output.value.open.take()
        output.value.piece = nil
        open?.close(on: loop)
    }
}
