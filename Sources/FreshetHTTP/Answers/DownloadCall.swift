import FreshetCore
import HTTPTypes

/// One download: what comes is collected into large pieces, which are written elsewhere while more comes.
///
/// Whatever happens, on whichever thread, arrives through the drain; all state is touched there. There is one piece of
/// work on the file at a time, and no thread waits for it.
final class DownloadCall: Pausable, @unchecked Sendable {
    private enum Signal {
        case event(Event<RequestEvent>, round: Int)
        case worked(Result<Void, any Error>, then: () -> Void)
        case call(() -> Void)
    }

    /// A piece of work takes a hop to another thread and back, and is worth it from this size on.
    private static let pieceSize = 512 * 1024
    /// What waits for the disk.
    private static let highWater = 4 * 1024 * 1024

    private let file: PartialFile
    private let path: String
    private let request: Request
    private let plan: DownloadPlan
    private let isDurable: Bool
    private let files: any ImmediateSchedulerType
    /// `nil` where no request is sent again.
    private let clock: (any SchedulerType)?
    private let observer: AnyObserver<DownloadEvent>
    private let events: (Request) -> Observable<RequestEvent>
    private let drain = Drain<Signal>()

    private var resumesLeft: Int
    private let resumes: Int
    private let time: DownloadTime
    /// The transfer that is under way, and its number: what an earlier one says is stale.
    private let source = SerialDisposable()
    private var round = 0
    private var point: DownloadPlan.Point?
    private var head: (HTTPResponse, RequestURL)?
    private var progress = DownloadProgress(received: 0, total: nil)
    private var record: DownloadRecord?
    /// What has come and is not written.
    private var waiting: [[UInt8]] = []
    private var waitingSize = 0
    private var mustBegin = false
    private var isBusy = false
    /// How the transfer has ended.
    private var end: Result<Void, any Error>?
    private var isHeldByConsumer = false
    private var isHeldByDisk = false
    private var isOver = false
    private var hasLeft = false
    private var afterLeaving: () -> Void = {}

    init(
        to file: PartialFile, at path: String, request: Request, plan: DownloadPlan, resumes: Int, isDurable: Bool,
        files: any ImmediateSchedulerType, clock: (any SchedulerType)?, for observer: AnyObserver<DownloadEvent>,
        _ events: @escaping (Request) -> Observable<RequestEvent>
    ) {
        self.file = file
        self.path = path
        self.request = request
        self.plan = plan
        self.resumes = resumes
        self.isDurable = isDurable
        self.files = files
        self.clock = clock
        self.observer = observer
        self.events = events
        resumesLeft = resumes
        time = DownloadTime(request.timeout, on: clock)
        Resources.increment()
    }

    deinit { Resources.decrement() }

    func start() {
        let address = DownloadRecord.sign(of: request.url)
        call { call in
            call.work {
                call.point = try call.file.open(for: address)
            } then: {
                call.send()
            }
        }
    }

    func dispose() { call { $0.abandon() } }
    func pause() { call { $0.hold(byConsumer: true) } }
    func resume() { call { $0.hold(byConsumer: false) } }

    private func call(_ body: @escaping (DownloadCall) -> Void) {
        drain.submit(.call { body(self) }, to: handle)
    }

    private func handle(_ signal: Signal) {
        switch signal {
        case .call(let work): work()
        case .event(let event, let round):
            if round == self.round, !isOver { take(event) }
        case .worked(let result, let then):
            isBusy = false
            if isOver { return leave() }
            switch result {
            case .success:
                then()
                goOn()
            case .failure(let error):
                // After a gap nothing may be written any more.
                waiting = []
                fail(error)
            }
        }
    }

    /// Has `body` done where it may block.
    private func work(_ body: @escaping () throws -> Void, then: @escaping () -> Void = {}) {
        isBusy = true
        let work = FileWork(body) { [self] result in drain.submit(.worked(result, then: then), to: handle) }
        work.run(on: files)
    }

    private func send() {
        round += 1
        let round = round
        end = nil
        var request = plan.request(request, from: point)
        if let left = time.left {
            guard left > .zero else { return fail(time.isUp(for: request)) }
            request.timeout = left
        }
        source.disposable = events(request).subscribe { [self] event in
            drain.submit(.event(event, round: round), to: handle)
        }
    }

    private func take(_ event: Event<RequestEvent>) {
        switch event {
        case .next(.body(let bytes)):
            guard head != nil else { return }
            waiting.append(bytes)
            waitingSize += bytes.count
            progress.received += bytes.count
            observer.onNext(.progress(progress))
            if waitingSize > Self.highWater { hold(byDisk: true) }
            goOn()
        case .next(.head(let head, let url)):
            observer.onNext(.request(.head(head, url: url)))
            begin(head, url)
        case .next(let event):
            observer.onNext(.request(event))
        case .error(let error):
            end = .failure(error)
            goOn()
        case .completed:
            end = .success(())
            goOn()
        }
    }

    private func begin(_ head: HTTPResponse, _ url: RequestURL) {
        switch plan.decision(about: head, from: url, to: request, point: point) {
        case .write(let offset, let total, let record):
            self.head = (head, url)
            self.record = record
            mustBegin = offset == 0
            progress = DownloadProgress(received: offset, total: total)
            observer.onNext(.progress(progress))
            goOn()
        case .complete:
            leaveTransfer()
            self.head = (head, url)
            progress = DownloadProgress(received: file.size, total: file.size)
            observer.onNext(.progress(progress))
            end = .success(())
            goOn()
        case .startAnew:
            leaveTransfer()
            point = nil
            send()
        case .refuse(let error):
            fail(error)
        }
    }

    private func leaveTransfer() {
        round += 1
        source.disposable = Disposables.create()
    }

    private func hold(byConsumer: Bool? = nil, byDisk: Bool? = nil) {
        let wasHeld = isHeldByConsumer || isHeldByDisk
        isHeldByConsumer = byConsumer ?? isHeldByConsumer
        isHeldByDisk = byDisk ?? isHeldByDisk
        guard wasHeld != (isHeldByConsumer || isHeldByDisk) else { return }
        if wasHeld { source.resume() } else { source.pause() }
    }

    /// Does what is to be done next, unless something is being done.
    private func goOn() {
        guard !isBusy, !isOver else { return }
        if mustBegin {
            mustBegin = false
            let record = record
            return work { [self] in try file.begin(record) }
        }
        if waitingSize >= Self.pieceSize || (end != nil && waitingSize > 0) { return write() }
        guard let end else { return }
        switch end {
        case .success where progress.received < progress.total ?? 0:
            lost(lostConnection("less came than was promised"))
        case .success: finish()
        case .failure(let error): lost(error)
        }
    }

    private func write() {
        let pieces = waiting
        waiting = []
        waitingSize = 0
        work { [self] in try file.write(pieces) }
        // More may come while these are written.
        hold(byDisk: false)
    }

    private func finish() {
        guard let head else {
            return fail(lostConnection("the connection ended before an answer began"))
        }
        work { [self] in
            try file.finish(isDurable: isDurable)
        } then: { [self] in
            isOver = true
            hasLeft = true
            leaveTransfer()
            observer.onNext(
                .finished(DownloadedFile(path: path, size: progress.received, head: head.0, url: head.1)))
            observer.onCompleted()
        }
    }

    private func lostConnection(_ message: String) -> HTTPClientError {
        HTTPClientError(
            .connectionLost, phase: .receiving, origin: request.url.origin.description, message: message,
            remedy: .tryAgain)
    }

    private func lost(_ error: any Error) {
        if time.ended(by: error) { return fail(time.isUp(for: request)) }
        guard resumesLeft > 0, let clock, let failure = error as? HTTPClientError,
            [.connectionLost, .connect, .resolve, .timeout].contains(failure.code)
        else { return fail(error) }
        let delay = Duration.milliseconds(500) * (1 << min(resumes - resumesLeft, 6)) * Double.random(in: 0.5..<1)
        resumesLeft -= 1
        // Without a record it begins anew.
        if head != nil { point = record.map { DownloadPlan.Point(offset: progress.received, record: $0) } }
        if point?.offset == 0 { point = nil }
        head = nil
        end = nil
        observer.onNext(.resuming(at: point?.offset ?? 0, after: delay, dueTo: error))
        round += 1
        let round = round
        source.disposable = clock.scheduleRelative((), dueTime: delay) { [self] in
            call { if round == $0.round, !$0.isOver { $0.send() } }
            return Disposables.create()
        }
    }

    private func fail(_ error: any Error) {
        guard !isOver else { return }
        isOver = true
        leaveTransfer()
        afterLeaving = { [observer] in observer.onError(error) }
        if !isBusy { leave() }
    }

    private func abandon() {
        guard !isOver else { return }
        isOver = true
        round += 1
        source.dispose()
        if !isBusy { leave() }
    }

    /// Lets go of the file, which removes what is not kept.
    private func leave() {
        guard !hasLeft else { return }
        hasLeft = true
        let pieces = record == nil ? [] : waiting
        waiting = []
        let work = FileWork { [file] in
            if !pieces.isEmpty { try? file.write(pieces) }
            file.leave()
        } done: { [afterLeaving] _ in
            afterLeaving()
        }
        work.run(on: files)
    }
}
