import FreshetCore
import HTTPTypes

/// One download. It collects the body into large pieces, which another thread writes while more data arrives.
///
/// Everything that happens, on any thread, goes through the drain. Only one piece of work on the file runs at a time, and no
/// thread waits for it.
// Unchecked: only the drain's handler touches `state`.
final class DownloadCall: Pausable, @unchecked Sendable {
    private enum Signal {
        case event(Event<RequestEvent>, round: Int)
        /// A piece of work on the file has ended; its result is what follows.
        case worked(Result<@Sendable () -> Void, any Error>)
        case call(@Sendable () -> Void)
    }

    /// The size in bytes from which a write is worth the change to another thread and back.
    private static let pieceSize = 512 * 1024
    /// How many bytes may wait for the disk before the transfer is paused.
    private static let highWater = 4 * 1024 * 1024

    private let file: PartialFile
    private let path: String
    private let request: Request
    private let plan: DownloadPlan
    private let isDurable: Bool
    private let files: any ImmediateSchedulerType
    /// `nil` if the download sends no request again.
    private let client: HTTPClient?
    private let observer: AnyObserver<DownloadEvent>
    private let events: (Request) -> Observable<RequestEvent>
    private let drain = Drain<Signal>()

    private let resumes: Int
    private let time: DownloadTime
    /// The running transfer, or the delay before the next one.
    private let source = SerialDisposable()
    private var state: DownloadState

    init(
        to file: PartialFile, at path: String, request: Request, plan: DownloadPlan, resumes: Int, isDurable: Bool,
        files: any ImmediateSchedulerType, client: HTTPClient?, for observer: AnyObserver<DownloadEvent>,
        _ events: @escaping (Request) -> Observable<RequestEvent>
    ) {
        (self.file, self.path, self.request) = (file, path, request)
        (self.plan, self.resumes) = (plan, resumes)
        self.isDurable = isDurable
        self.files = files
        (self.client, self.observer, self.events) = (client, observer, events)
        state = DownloadState(resumesLeft: resumes)
        time = DownloadTime(request.timeout, on: client?.scheduler)
        Resources.increment()
    }

    deinit { Resources.decrement() }

    func start() { file.afterDepartures { [self] in call { $0.open() } } }

    func dispose() {
        // The subscriber may start the download again as soon as this returns.
        file.beginDeparture()
        call { $0.abandon() }
    }

    func pause() { call { $0.setPaused(true, by: .subscriber) } }
    func resume() { call { $0.setPaused(false, by: .subscriber) } }

    private func call(_ body: @escaping @Sendable (DownloadCall) -> Void) {
        drain.submit(.call { body(self) }, to: handle)
    }

    private func handle(_ signal: Signal) {
        switch signal {
        case .call(let work): work()
        case .event(let event, let round):
            if round == state.round, !state.isOver { receive(event) }
        case .worked(let result):
            state.isBusy = false
            // After a gap in the file, nothing may be written any more.
            if case .failure = result { state.waiting = [] }
            if state.isOver { return close() }
            switch result {
            case .success(let next):
                next()
                startNextWork()
            case .failure(let error): fail(error)
            }
        }
    }

    /// Runs `body` where it may block, and then `next` in the drain.
    private func work<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value, then next: @escaping @Sendable (Value) -> Void = { _ in }
    ) {
        state.isBusy = true
        let work = FileWork(body) { [self] result in
            drain.submit(.worked(result.map { value in { next(value) } }), to: handle)
        }
        work.run(on: files)
    }

    private func open() {
        guard !state.isOver else { return }
        work { [file, address = DownloadRecord.hash(of: request.url)] in
            try file.openPart(for: address)
        } then: { [self] point in
            state.point = point
            send()
        }
    }

    private func send() {
        state.round += 1
        state.end = nil
        var request = plan.request(request, from: state.point)
        if let left = time.left {
            guard left > .zero else { return fail(time.timeoutError(for: request)) }
            request.timeout = left
        }
        source.disposable = events(request).subscribe { [self, round = state.round] event in
            drain.submit(.event(event, round: round), to: handle)
        }
    }

    private func receive(_ event: Event<RequestEvent>) {
        state.record(event)
        if state.refusal != nil {
            if state.refusal?.receive(event) == true, let error = state.refusal?.failure { fail(error) }
            return
        }
        switch event {
        case .next(.body(let bytes)):
            guard state.head != nil else { return }
            guard bytes.count <= state.limit - state.progress.received else { return startOver() }
            state.append(bytes)
            observer.onNext(.progress(state.progress))
            if state.waitingSize > Self.highWater { setPaused(true, by: .disk) }
            startNextWork()
        case .next(.head(let head, let url)):
            observer.onNext(.request(.head(head, url: url)))
            begin(head, url)
        case .next(let event):
            observer.onNext(.request(event))
        case .error(let error):
            state.end = .failure(error)
            startNextWork()
        case .completed:
            state.end = .success(())
            startNextWork()
        }
    }

    private func begin(_ head: HTTPResponse, _ url: RequestURL) {
        switch plan.decision(about: head, from: url, to: request, point: state.point, part: file.keptPath) {
        case .write(let offset, let limit, let total, let record):
            state.head = (head, url)
            state.begin(at: offset, limit: limit, total: total, record)
            if offset == 0 { setPaused(false, by: .disk) }
            report(state.progress)
            startNextWork()
        case .complete:
            cancelTransfer()
            state.head = (head, url)
            report(DownloadProgress(received: file.size, total: file.size))
            state.end = .success(())
            startNextWork()
        case .startAnew:
            cancelTransfer()
            state.point = nil
            send()
        case .refuse(let error) where error.code == .status: state.refusal = RefusedResponse(error, client: client)
        case .refuse(let error): fail(error)
        }
    }

    /// Drops the part and requests the whole, because the part is longer than its range.
    private func startOver() {
        cancelTransfer()
        state.startOver()
        setPaused(false, by: .disk)
        startNextWork()
        send()
    }

    private func report(_ progress: DownloadProgress) {
        state.progress = progress
        observer.onNext(.progress(progress))
    }

    private func cancelTransfer() {
        state.round += 1
        source.disposable = Disposables.create()
    }

    private func setPaused(_ isPaused: Bool, by pause: DownloadState.Pause) {
        let wasPaused = !state.pauses.isEmpty
        if isPaused { state.pauses.insert(pause) } else { state.pauses.remove(pause) }
        guard wasPaused == state.pauses.isEmpty else { return }
        if wasPaused { source.resume() } else { source.pause() }
    }

    /// Starts the work that comes next, unless other work is running.
    private func startNextWork() {
        guard !state.isBusy, !state.isOver else { return }
        if state.mustBegin {
            state.mustBegin = false
            return work { [file, record = state.record] in
                try file.begin(record)
            }
        }
        if state.waitingSize >= Self.pieceSize || (state.end != nil && state.waitingSize > 0) { return write() }
        switch state.end {
        case nil: break
        case .success where state.isPartComplete:
            state.continueAfterPart()
            send()
        case .success where state.progress.received < state.progress.total ?? 0:
            lost(state.named(plan.lostConnection("the body is shorter than announced", to: request), request))
        case .success: finish()
        case .failure(let error): lost(error)
        }
    }

    private func write() {
        work { [file, pieces = state.waiting] in
            try file.write(pieces)
        }
        (state.waiting, state.waitingSize) = ([], 0)
        // More bytes may arrive while these are written.
        setPaused(false, by: .disk)
    }

    private func finish() {
        guard let (head, url) = state.head else { return fail(HTTPClientError.noResponse(from: request.url.origin)) }
        work { [file, isDurable] in
            try file.finish(isDurable: isDurable)
        } then: { [self] _ in
            state.phase = .left
            cancelTransfer()
            observer.onNext(
                .finished(DownloadedFile(path: path, size: state.progress.received, head: head, url: url)))
            observer.onCompleted()
        }
    }

    private func lost(_ error: any Error) {
        if time.ended(by: error) { return fail(time.timeoutError(for: request)) }
        let delay = DownloadTime.delay(after: resumes - state.resumesLeft)
        guard state.resumesLeft > 0, time.allows(delay), let client, let failure = error as? HTTPClientError,
            RetryPolicy().errorCodes.contains(failure.code)
        else { return fail(error) }
        state.resume()
        observer.onNext(.resuming(at: state.point?.offset ?? 0, after: delay, dueTo: error))
        state.round += 1
        let round = state.round
        let timer = client.scheduler.scheduleRelative((), dueTime: delay) { [self] in
            call { if round == $0.state.round, !$0.state.isOver { $0.send() } }
            return Disposables.create()
        }
        // The clock can end with the client.
        let closing = client.closing.subscribe { [self] _ in
            call { if round == $0.state.round { $0.fail(HTTPClient.shuttingDown(after: error)) } }
        }
        source.disposable = Disposables.create(timer, closing)
    }

    private func fail(_ error: any Error) {
        guard !state.isOver else { return }
        state.phase = .over(state.named(error, request))
        cancelTransfer()
        if !state.isBusy { close() }
    }

    private func abandon() {
        guard !state.isOver else { return }
        state.phase = .over(nil)
        state.round += 1
        source.dispose()
        if !state.isBusy { close() }
    }

    /// Closes the file, which removes a part that is not kept.
    private func close() {
        guard case .over(let failure) = state.phase else { return }
        state.phase = .left
        let pieces = state.mustBegin ? [] : state.waiting
        state.waiting = []
        let work = FileWork { [file] in
            if file.isWorthKeeping { try? file.write(pieces) }
            file.release()
        } done: { [observer] _ in
            if let failure { observer.onError(failure) }
        }
        work.run(on: files)
    }
}
