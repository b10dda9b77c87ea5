import CFreshetUV
public import FreshetCore
import Synchronization

extension Loop {
    /// Reads a descriptor until its end and emits the bytes in pieces, as they arrive. The descriptor can be that of a
    /// pipe, a terminal, a socket or a file.
    ///
    /// The stream does not read ahead: while the subscription is paused, a writer at the other end of a pipe has to
    /// wait. A file is read on libuv's thread pool, because no system call reports that a file is ready.
    ///
    /// The caller owns the descriptor, and may close it after the subscription has ended. No other reader may use it
    /// meanwhile. The stream leaves the descriptor in its original mode, because the shell shares its terminal with the
    /// program.
    ///
    /// Events come on the loop. If a call fails, or if the loop shuts down, the stream ends with a ``LoopError``.
    ///
    ///     loop.bytes(from: STDIN_FILENO).subscribe(onNext: { count += $0.count })
    ///
    /// - Parameters:
    ///   - descriptor: a descriptor that is open for reading until the subscription has ended.
    ///   - maximum: the maximum number of bytes in a piece, at most 1 MiB.
    public func bytes(from descriptor: Int32, maximum: Int = 64 * 1024) -> Observable<[UInt8]> {
        .create { observer in
            DescriptorReader(of: descriptor, on: self, maximum: maximum, observer)
        } start: { reader in
            reader.start()
        }
    }
}

/// Reads a descriptor unless the subscription is paused.
private final class DescriptorReader: Pausable {
    private struct State {
        var open: OpenDescriptor?
        /// Whether a call in the pool reads.
        var isInPool = false
    }

    private let borrowed: Int32
    private let loop: Loop
    private let maximum: Int
    private let observer: AnyObserver<[UInt8]>
    private let isHeld = Atomic<Bool>(false)
    private let isOver = Atomic<Bool>(false)
    private let state: LoopBound<State>

    init(of borrowed: Int32, on loop: Loop, maximum: Int, _ observer: AnyObserver<[UInt8]>) {
        self.borrowed = borrowed
        self.loop = loop
        self.maximum = min(max(1, maximum), 1 << 20)
        self.observer = observer
        state = .sending(State(), on: loop)
        Resources.increment()
    }

    deinit { Resources.decrement() }

    func start() {
        if !loop.begin({ self.open() }) { emit(.error(LoopError.loopHasEnded)) }
    }

    func pause() {
        isHeld.store(true, ordering: .releasing)
    }

    func resume() {
        if isHeld.exchange(false, ordering: .acquiringAndReleasing) { loop.run { self.proceed() } }
    }

    func dispose() {
        if !isOver.exchange(true, ordering: .acquiringAndReleasing) { loop.run { self.returnDescriptor() } }
    }

    private var isWanted: Bool { !isOver.load(ordering: .acquiring) && !isHeld.load(ordering: .acquiring) }

    private func open() {
        guard !isOver.load(ordering: .acquiring) else { return }
        do {
            state.value.open = try OpenDescriptor(
                borrowed, for: .reading, on: loop, ended: { self.end(with: .error(LoopError.loopHasEnded)) },
                ready: { [unowned self] _ in ready() })
        } catch {
            return end(with: .error(error))
        }
        proceed()
    }

    private func proceed() {
        guard isWanted, let open = state.value.open else { return }
        if let poll = open.poll {
            do { try poll.watch(for: .readable) } catch { end(with: .error(error)) }
        } else if !state.value.isInPool {
            state.value.isInPool = true
            // The closure retains the descriptor, which is closed only after the call has returned.
            _ = BlockingScheduler(on: loop).schedule(()) { [maximum, descriptor = open.descriptor] _ in
                let piece = Result { try descriptor.read(upTo: maximum) }
                self.loop.execute { self.came(piece) }
                return Disposables.create()
            }
        }
    }

    /// Called when the descriptor has bytes to read, or has ended.
    private func ready() {
        guard let open = state.value.open, let poll = open.poll else { return }
        // A pause stops the polling only here, because most pauses end before the next bytes arrive.
        if isHeld.load(ordering: .acquiring) { return (try? poll.watch(for: [])) ?? () }
        receive(Result { try open.descriptor.read(upTo: maximum) })
        // Watches again after a failure, where libuv has stopped, until the descriptor has been read to its end.
        proceed()
    }

    private func came(_ piece: Result<[UInt8]?, any Error>) {
        state.value.isInPool = false
        receive(piece)
        proceed()
    }

    private func receive(_ piece: Result<[UInt8]?, any Error>) {
        guard !isOver.load(ordering: .acquiring) else { return }
        switch piece {
        case .success(nil): break
        case .success(let bytes?): if bytes.isEmpty { end(with: .completed) } else { observer.onNext(bytes) }
        case .failure(let error): end(with: .error(error))
        }
    }

    private func end(with event: Event<[UInt8]>) {
        returnDescriptor()
        emit(event)
    }

    private func emit(_ event: Event<[UInt8]>) {
        if !isOver.exchange(true, ordering: .acquiringAndReleasing) { observer.on(event) }
    }

    private func returnDescriptor() {
        let open = state.value.open.take()
        open?.close(on: loop)
    }
}
