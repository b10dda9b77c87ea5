import FreshetCore
import HTTPTypes

/// The life of one download as a value: inputs go in, and actions come out. It has no clock, no stream, no file and no thread.
///
/// The transfer goes on while the file is written. The buffer is between them.
struct DownloadStateMachine {
    /// A response whose body is written.
    struct Reception {
        var head: HTTPResponse
        var url: RequestURL
        /// The length of the file up to which the response may write.
        var limit: Int
        var record: DownloadRecord?
    }

    enum State {
        /// No request was sent yet.
        case idle
        /// A request was sent, and the head of its response has not arrived.
        case requested
        case receiving(Reception)
        /// The response ends the download. The beginning of its body is read into ``refusal``.
        case refused
        /// The transfer has ended, perhaps with an error. The bytes that have arrived are still written.
        case ended(Reception?, (any Error)?)
        /// The connection was lost. The next request follows after a delay.
        case waiting
        /// The file is complete, and is moved into its place.
        case finishing(DownloadedFile)
        /// The download has failed or is cancelled. The file is closed when the running work has ended.
        case over((any Error)?)
        /// The file is being closed. The subscriber gets the error after that.
        case closing((any Error)?)
        case finished
    }

    let request: Request
    private let path: String
    private let plan: DownloadPlan
    private let maxResumes: Int
    private let coding: ClientCoding?

    private var state = State.idle
    /// The number of the current transfer or delay. Inputs from earlier ones are stale.
    private(set) var step = 0
    /// Whether work on the file is running.
    private var isWorking = false
    private var isPaused = false
    private var buffer = DownloadBuffer()
    private var progress = DownloadProgress(received: 0, total: nil)
    /// Where the next request begins, unless it is at the beginning.
    private var point: DownloadPlan.Point?
    /// The path of a part that is kept.
    private var part: String?
    private var refusal: RefusedResponse?
    private var resumes = 0
    /// How often the part was opened. A download that has been left may have it for a moment: `take` completes before it disposes
    /// of its source.
    private var openings = 0
    private var history = DownloadHistory()
    private var timeLeft: Duration?
    private var actions: [Action] = []

    init(_ request: Request, to path: String, plan: DownloadPlan, maxResumes: Int, coding: ClientCoding? = nil) {
        (self.request, self.path, self.plan) = (request, path, plan)
        (self.maxResumes, self.coding) = (maxResumes, coding)
    }

    /// Whether an input for `step`, or for the whole download if `step` is `nil`, still counts.
    func expects(_ step: Int?) -> Bool { step == nil || step == self.step }

    /// Handles an input and returns the actions to perform, in order.
    ///
    /// - Parameter timeLeft: the time that is left for all transfers; `nil` if the only transfer has a timeout of its own.
    mutating func apply(_ input: Input, timeLeft: Duration? = nil) -> [Action] {
        self.timeLeft = timeLeft
        let wasHeld = isHeld
        switch input {
        case .start: if case .idle = state { open() }
        case .opened(let point, let part):
            (self.point, self.part) = (point, part)
            workEnded(nil)
        case .worked: workEnded(nil)
        case .workFailed(let error): workEnded(error)
        case .received(let event): receive(event)
        case .waited: if case .idle = state { open() } else { send() }
        case .fail(let error): fail(error)
        case .paused(let isPaused): self.isPaused = isPaused
        case .dispose: end(nil)
        }
        if isHeld != wasHeld { actions.append(.hold(isHeld)) }
        defer { actions = [] }
        return actions
    }

    private var isHeld: Bool { isPaused || buffer.isFull }
}

// The transfers.
extension DownloadStateMachine {
    private mutating func send() {
        var request = plan.request(request, from: point)
        if let timeLeft {
            guard timeLeft > .zero else { return fail(timeoutError) }
            request.timeout = timeLeft
        }
        state = .requested
        step += 1
        actions.append(.send(request))
    }

    private mutating func cancel() {
        step += 1
        actions.append(.cancel)
    }

    /// Sends the next request after a delay, or fails.
    private mutating func resume(after response: Reception?, dueTo error: any Error) {
        let code = (error as? HTTPClientError)?.code
        if code == .timeout, let timeLeft, timeLeft <= .zero { return fail(timeoutError) }
        let delay = .milliseconds(500) * (1 << min(resumes, 6)) * Double.random(in: 0.5..<1)
        guard resumes < maxResumes, delay < timeLeft ?? .never, let code, RetryPolicy().errorCodes.contains(code)
        else { return fail(error) }
        resumes += 1
        if let response { setPoint(after: response) }
        state = .waiting
        step += 1
        actions += [
            .emit(.resuming(at: point?.offset ?? 0, after: delay, dueTo: error)), .wait(delay, after: error),
        ]
    }

    /// Without a record, the download starts anew.
    private mutating func setPoint(after response: Reception) {
        let offset = progress.received
        point = offset == 0 ? nil : response.record.map { DownloadPlan.Point(offset: offset, record: $0) }
    }

    /// The error of a download that has reached its limit. It names that limit, and not the time that the last transfer had.
    private var timeoutError: HTTPClientError {
        HTTPClientError(
            .timeout, phase: .receiving, origin: request.url.origin.description,
            message: "the download took longer than its \(request.timeout ?? .zero)",
            recoverySuggestion: .allowMoreTime)
    }
}

// The response arrives.
extension DownloadStateMachine {
    private mutating func receive(_ event: Event<RequestEvent>) {
        history.record(event)
        if case .refused = state {
            if refusal?.receive(event) == true, let error = refusal?.failure { fail(error) }
            return
        }
        switch event {
        case .next(.body(let bytes)): bodyReceived(bytes)
        case .next(let event):
            actions.append(.emit(.request(event)))
            if case .head(let head, let url) = event { headReceived(head, url) }
        case .error(let error): transferEnded(error)
        case .completed: transferEnded(nil)
        }
    }

    private mutating func headReceived(_ head: HTTPResponse, _ url: RequestURL) {
        switch plan.decision(about: head, from: url, to: request, point: point, part: part) {
        case .write(let offset, let limit, let total, let record):
            state = .receiving(Reception(head: head, url: url, limit: limit, record: record))
            // The events can be those of a request that was sent again, and an earlier response has left its bytes.
            if offset == 0 { buffer.begin(record) }
            report(DownloadProgress(received: offset, total: total))
            startNextWork()
        case .complete(let size):
            cancel()
            report(DownloadProgress(received: size, total: size))
            finish(head, url)
        case .startAnew:
            cancel()
            point = nil
            send()
        case .refuse(let error) where error.code == .status:
            refusal = RefusedResponse(error, coding: coding)
            state = .refused
        case .refuse(let error): fail(error)
        }
    }

    private mutating func bodyReceived(_ bytes: [UInt8]) {
        guard case .receiving(let response) = state else { return }
        guard bytes.count <= response.limit - progress.received else { return startOver() }
        buffer.append(bytes)
        report(DownloadProgress(received: progress.received + bytes.count, total: progress.total))
        startNextWork()
    }

    /// Drops the part and requests the whole, because the part is longer than its range. The part is emptied at once, because a
    /// later download must not continue it.
    private mutating func startOver() {
        cancel()
        point = nil
        buffer.begin(nil)
        startNextWork()
        send()
    }

    private mutating func report(_ progress: DownloadProgress) {
        self.progress = progress
        actions.append(.emit(.progress(progress)))
    }

    private mutating func transferEnded(_ error: (any Error)?) {
        if case .receiving(let response) = state { state = .ended(response, error) } else { state = .ended(nil, error) }
        startNextWork()
    }
}

// The work on the file.
extension DownloadStateMachine {
    private mutating func work(_ action: Action) {
        isWorking = true
        actions.append(action)
    }

    private mutating func open() {
        openings += 1
        work(.open(address: DownloadRecord.hash(of: request.url)))
    }

    private mutating func workEnded(_ failure: (any Error)?) {
        isWorking = false
        // After a gap in the file, nothing may be written any more.
        if failure != nil { buffer = DownloadBuffer() }
        switch (state, failure) {
        case (.over(let error), _): close(error)
        case (.closing(let error), _):
            state = .finished
            if let error { actions.append(.fail(error)) }
        case (.idle, let failure as HTTPClientError)
        where failure.isOfOtherDownload && openings < Self.maxOpenings && Self.openingDelay < timeLeft ?? .zero:
            step += 1
            actions.append(.wait(Self.openingDelay, after: failure))
        case (_, let failure?): fail(failure)
        case (.idle, nil): send()
        case (.finishing(let file), nil):
            state = .finished
            cancel()
            actions += [.emit(.finished(file)), .complete]
        default: startNextWork()
        }
    }

    /// Starts the work that comes next, unless other work is running.
    private mutating func startNextWork() {
        guard !isWorking else { return }
        let isEnded = if case .ended = state { true } else { false }
        if let next = buffer.nextWork(isComplete: isEnded) { return work(next) }
        switch state {
        case .ended(let response, let error?): resume(after: response, dueTo: error)
        case .ended(let response?, nil): responseEnded(response)
        case .ended(nil, nil): fail(HTTPClientError.noResponse(from: request.url.origin))
        default: break
        }
    }

    private mutating func responseEnded(_ response: Reception) {
        let (received, total) = (progress.received, progress.total ?? 0)
        guard received < total else { return finish(response.head, response.url) }
        guard received == response.limit else {
            let error = plan.lostConnection("the body is shorter than announced", to: request)
            return resume(after: response, dueTo: history.named(error, request))
        }
        // The server sends the rest in several parts.
        setPoint(after: response)
        send()
    }

    private mutating func finish(_ head: HTTPResponse, _ url: RequestURL) {
        state = .finishing(DownloadedFile(path: path, size: progress.received, head: head, url: url))
        work(.finish)
    }

    private mutating func fail(_ error: any Error) { end(history.named(error, request)) }

    private mutating func end(_ error: (any Error)?) {
        switch state {
        case .over, .closing, .finished: return
        default: state = .over(error)
        }
        cancel()
        if !isWorking { close(error) }
    }

    private mutating func close(_ error: (any Error)?) {
        state = .closing(error)
        work(.close(rest: buffer.rest))
    }
}
