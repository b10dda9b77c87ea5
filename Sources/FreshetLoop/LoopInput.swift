import CFreshetUV
public import FreshetCore
import Synchronization

extension Loop {
    /// What can be read from a descriptor until its end, in pieces as they come: a pipe, a terminal, a socket, a file.
    ///
    /// Nothing is read ahead: while the subscription is paused, whoever writes at the other end of a pipe has to wait. A
    /// file, for which no system call says that it is ready, is read on libuv's pool of threads. The descriptor stays the
    /// caller's, who may close it after the subscription has ended, and is left in the mode in which it was: the shell shares
    /// its terminal with us. It must not be read by others meanwhile.
    ///
    /// Events come on the loop. A call that fails is a ``LoopError``, as is the loop's shutdown.
    ///
    ///     loop.bytes(from: STDIN_FILENO).subscribe(onNext: { count += $0.count })
    ///
    /// - Parameters:
    ///   - descriptor: open for reading, until the subscription has ended.
    ///   - maximum: how many bytes a piece has at most.
    public func bytes(from descriptor: Int32, maximum: Int = 64 * 1024) -> Observable<[UInt8]> {
        .create { observer in
            DescriptorReader(of: descriptor, on: self, maximum: maximum, observer)
        } start: { reader in
            reader.start()
        }
    }
}

/// Reads while it is wanted.
private final class DescriptorReader: Pausable {
    /// What it has while it is open.
    private struct State {
        var descriptor: BorrowedDescriptor?
        var poll: LoopPoll?
        var isInPool = false
        var ending: UInt64?
    }

    private let lent: Int32
    private let loop: Loop
    private let maximum: Int
    private let observer: AnyObserver<[UInt8]>
    private let isHeld = Atomic<Bool>(false)
    private let isOver = Atomic<Bool>(false)
    private let state: LoopBound<State>

    init(of lent: Int32, on loop: Loop, maximum: Int, _ observer: AnyObserver<[UInt8]>) {
        self.lent = lent
        self.loop = loop
        self.maximum = max(1, maximum)
        self.observer = observer
        state = .sending(State(), on: loop)
        Resources.increment()
    }

    deinit { Resources.decrement() }

    func start() {
        if !loop.run({ self.open() }) { emit(.error(LoopError.loopHasEnded)) }
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
            let descriptor = try BorrowedDescriptor(lent, for: .reading)
            state.value.descriptor = descriptor
            state.value.ending = loop.atEnd { self.end(with: .error(LoopError.loopHasEnded)) }
            state.value.poll = try descriptor.poll(on: loop) { [unowned self] _ in ready() }
        } catch {
            return end(with: .error(error))
        }
        proceed()
    }

    private func proceed() {
        guard isWanted, let descriptor = state.value.descriptor else { return }
        if let poll = state.value.poll {
            do { try poll.watch(for: .readable) } catch { end(with: .error(error)) }
        } else if !state.value.isInPool {
            state.value.isInPool = true
            // It holds the descriptor, which is closed only when the call has returned.
            _ = BlockingScheduler(on: loop).schedule(()) { [maximum] _ in
                let piece = Result { try descriptor.read(upTo: maximum) }
                self.loop.execute { self.came(piece) }
                return Disposables.create()
            }
        }
    }

    /// There is something to be read, or the end.
    private func ready() {
        guard let descriptor = state.value.descriptor, let poll = state.value.poll else { return }
        // A pause stops the watching only here: most are undone before anything has come.
        if isHeld.load(ordering: .acquiring) { return (try? poll.watch(for: [])) ?? () }
        receive(Result { try descriptor.read(upTo: maximum) })
        // One that has failed is not watched any more, until it has been read to its end.
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
        let open = state.value
        state.value = State(isInPool: open.isInPool)
        open.poll?.close()
        if let ending = open.ending { loop.removeEnd(ending) }
    }
}

extension Loop {
    /// Runs `work` on the loop, at once if this is its thread.
    @discardableResult
    func run(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard isCurrent else { return execute(work) }
        work()
        return true
    }
}

extension LoopError {
    static var loopHasEnded: LoopError { LoopError(code: UV_ECANCELED.rawValue) }
}
