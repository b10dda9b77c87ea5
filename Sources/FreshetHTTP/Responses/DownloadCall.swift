import FreshetCore

/// One subscription to a download. It performs the actions of the ``DownloadStateMachine``.
///
/// Everything that happens, on any thread, goes through the drain, which handles one signal after the other. No thread waits for
/// the work on the file.
// Unchecked: only the drain's handler touches `machine`.
final class DownloadCall: Pausable, @unchecked Sendable {
    private typealias Signal = (input: DownloadStateMachine.Input, step: Int?)

    private let file: PartialFile
    private let isDurable: Bool
    private let files: any ImmediateSchedulerType
    /// `nil` if the download sends no request again.
    private let client: HTTPClient?
    private let observer: AnyObserver<DownloadEvent>
    private let events: (Request) -> Observable<RequestEvent>
    private let started: Instant?
    private let drain = Drain<Signal>()
    /// The running transfer, or the delay before the next one.
    private let source = SerialDisposable()
    private var machine: DownloadStateMachine

    init(
        _ machine: DownloadStateMachine, to file: PartialFile, isDurable: Bool, files: any ImmediateSchedulerType,
        client: HTTPClient?, for observer: AnyObserver<DownloadEvent>,
        _ events: @escaping (Request) -> Observable<RequestEvent>
    ) {
        (self.machine, self.file, self.isDurable, self.files) = (machine, file, isDurable, files)
        (self.client, self.observer, self.events) = (client, observer, events)
        started = client?.scheduler.now
        Resources.increment()
    }

    deinit { Resources.decrement() }

    func start() { file.afterDepartures { [self] in submit(.start) } }
    func pause() { submit(.paused(true)) }
    func resume() { submit(.paused(false)) }

    func dispose() {
        // The subscriber may start the download again as soon as this returns.
        file.beginDeparture()
        submit(.dispose)
    }

    /// Submits an input for transfer or delay number `step`, or for the download as a whole if `step` is `nil`.
    private func submit(_ input: DownloadStateMachine.Input, of step: Int? = nil) {
        drain.submit((input, step), to: handle)
    }

    private func handle(_ signal: Signal) {
        guard machine.expects(signal.step) else { return }
        for action in machine.apply(signal.input, timeLeft: timeLeft) { perform(action) }
    }

    /// The time that is left for all transfers together; `nil` if there is only one, which has a timeout of its own.
    private var timeLeft: Duration? {
        guard let client, let started else { return nil }
        return machine.request.timeout.map { $0 - started.duration(to: client.scheduler.now) } ?? .never
    }

    private func perform(_ action: DownloadStateMachine.Action) {
        switch action {
        case .open(let address):
            work { [file] in
                try file.openPart(for: address)
            } then: { [file] point in
                .opened(point, part: file.keptPath)
            }
        case .begin(let record): work { [file] in try file.begin(record) }
        case .write(let pieces): work { [file] in try file.write(pieces) }
        case .finish: work { [file, isDurable] in try file.finish(isDurable: isDurable) }
        case .close(let pieces):
            work { [file] in
                if file.isWorthKeeping { try? file.write(pieces) }
                file.release()
            }
        case .send(let request):
            source.disposable = events(request).subscribe { [self, step = machine.step] event in
                submit(.received(event), of: step)
            }
        case .cancel: source.disposable = Disposables.create()
        case .hold(let isHeld): isHeld ? source.pause() : source.resume()
        case .wait(let delay, let error): wait(delay, after: error)
        case .emit(let event): observer.onNext(event)
        case .complete: observer.onCompleted()
        case .fail(let error): observer.onError(error)
        }
    }

    /// Runs `body` where it may block, and then submits the input.
    private func work<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value,
        then input: @escaping @Sendable (Value) -> DownloadStateMachine.Input = { _ in .worked }
    ) {
        let work = FileWork(body) { [self] result in
            switch result {
            case .success(let value): submit(input(value))
            case .failure(let error): submit(.workFailed(error))
            }
        }
        work.run(on: files)
    }

    private func wait(_ delay: Duration, after error: any Error) {
        guard let client else { return }
        let step = machine.step
        let timer = client.scheduler.scheduleRelative((), dueTime: delay) { [self] in
            // A download that has the part may be cancelled in the meantime.
            file.afterDepartures { [self] in submit(.waited, of: step) }
            return Disposables.create()
        }
        // The clock can end with the client.
        let closing = client.closing.subscribe { [self] _ in
            submit(.fail(HTTPClient.shuttingDown(after: error)), of: step)
        }
        source.disposable = Disposables.create(timer, closing)
    }
}
