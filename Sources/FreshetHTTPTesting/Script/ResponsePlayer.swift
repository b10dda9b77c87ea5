import FreshetCore
import FreshetHTTP
import HTTPTypes

/// Plays the steps of a response. It passes what is to be sent to `output`, and handles delays and streams itself.
// Unchecked: everything runs within `confine`, which runs one call at a time.
final class ResponsePlayer: @unchecked Sendable {
    enum Output {
        case informational(HTTPResponse)
        /// The head of this response, which has the status, the fields and the framing.
        case head(ScriptedResponse)
        case piece([UInt8])
        /// The end of this response.
        case end(ScriptedResponse)
        case raw([UInt8])
        case pace(Pace)
        /// The end of raw bytes. The connection stays open.
        case stay
        case close
        case reset
        case fail(HTTPClientError)
    }

    private let method: HTTPRequest.Method
    private let scheduler: (any SchedulerType)?
    private let confine: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let output: (Output) -> Void
    private var response: ScriptedResponse
    /// The steps to come, the next one last.
    private var steps: [ScriptedResponse.Step]
    private var body: BodyPlayback?
    private var stream: (subscription: SerialDisposable, number: Int)?
    /// What the stream has emitted while nothing could be output.
    private var events = Fifo<Event<[UInt8]>>()
    private var waiting: SerialDisposable?
    /// Distinguishes a late wake-up from the one that the player waits for.
    private var turn = 0
    private(set) var isPaused = false
    private var isPlaying = false
    private var isFinished = false
    private var meter: PaceMeter?
    /// Whether the player applies the pace of a response. If not, the receiver of the output does.
    private let slowsPieces: Bool

    /// - Parameters:
    ///   - method: the method of the request, which decides whether the response has a body.
    ///   - scheduler: the clock for the delays; without one they take no time.
    ///   - confine: runs work of other threads where `play`, `pause`, `resume` and `stop` are called.
    init(
        _ response: ScriptedResponse, to method: HTTPRequest.Method, scheduler: (any SchedulerType)?, slowsPieces: Bool,
        confine: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, output: @escaping (Output) -> Void
    ) {
        self.response = response
        self.method = method
        self.scheduler = scheduler
        self.slowsPieces = slowsPieces
        self.confine = confine
        self.output = output
        steps = response.steps.reversed()
    }

    /// Whether the response is an error of a request of which nothing was sent.
    var failsUnsent: Bool {
        steps.contains { step in
            if case .fail(let error) = step { error.isUnsent || error.phase.isBeforeSending } else { false }
        }
    }

    /// Plays steps until one of them has to wait.
    func play() {
        guard !isPlaying else { return }
        isPlaying = true
        defer { isPlaying = false }
        while !isFinished, !isPaused, waiting == nil, playNext() {}
    }

    func pause() {
        isPaused = true
        waiting?.pause()
        stream?.subscription.pause()
    }

    func resume() {
        isPaused = false
        waiting?.resume()
        stream?.subscription.resume()
        play()
    }

    func stop() {
        isFinished = true
        waiting?.dispose()
        waiting = nil
        endStream()
    }

    /// Plays what comes next, and returns whether there was something to play.
    private func playNext() -> Bool {
        if body?.isCutOff == true { cutBody() }
        if let barrier = body?.nextBarrier() {
            hold(until: barrier)
        } else if body?.hasRest == true {
            sendRest()
        } else if stream != nil {
            guard let event = events.popFirst() else { return false }
            play(event)
        } else if let step = steps.popLast() {
            perform(step)
        } else if body != nil {
            if let barrier = body?.lastBarrier() { hold(until: barrier) } else { perform(response.ending) }
        } else {
            return false
        }
        return true
    }

    private func perform(_ step: ScriptedResponse.Step) {
        switch step {
        case .wait(let delay): sleep(delay)
        case .hold(let barrier): hold(until: barrier)
        case .replace(let later):
            wait { player, turn in
                later.subscribe { result in player.confine { player.replace(with: result, turn) } }
            }
        case .stream(let pieces): start(pieces)
        case .piece(let bytes, let times):
            if times > 1 { steps.append(.piece(bytes, times: times - 1)) }
            begin(bytes)
        case .informational(let head): output(.informational(head))
        case .head:
            body = BodyPlayback(of: response)
            // Without a body on the wire nothing would stop an endless one.
            steps = response.hasBody(inResponseTo: method) ? response.content.reversed() : []
            output(.head(response))
        case .end: finish(.end(response))
        case .raw(let bytes, let times):
            if times > 1 { steps.append(.raw(bytes, times: times - 1)) }
            output(.raw(bytes))
        case .pace(let pace):
            if slowsPieces { meter = PaceMeter(pace) } else { output(.pace(pace)) }
        case .stay: finish(.stay)
        case .close: finish(.close)
        case .reset: finish(.reset)
        case .fail(let error): finish(.fail(error))
        }
    }

    private func finish(_ last: Output) {
        isFinished = true
        output(last)
    }

    // MARK: The body

    /// Makes a piece the next part of the body, after the delay between pieces.
    private func begin(_ bytes: [UInt8]) {
        if body?.begin(bytes) == true, let gap = response.gap { sleep(gap) }
    }

    /// Outputs as much of the piece as the pace and the next barrier allow.
    private func sendRest() {
        guard var count = body?.sendable else { return }
        if meter != nil, let allowed = meter?.consume(atMost: count, at: scheduler?.now) {
            switch allowed.wait {
            case .time(let time): return sleep(time)
            case .throttle(let throttle):
                return wait { player, turn in throttle.wait { player.confine { player.proceed(turn) } } }
            case nil: count = allowed.count
            }
        }
        if let bytes = body?.take(count) { output(.piece(bytes)) }
    }

    private func cutBody() {
        body?.discardRest()
        steps = []
        endStream()
    }

    private func start(_ pieces: Observable<[UInt8]>) {
        let place = SerialDisposable()
        turn += 1
        stream = (place, turn)
        // The stream may emit during the call.
        isPlaying = false
        place.disposable = pieces.subscribe { [self, turn] event in confine { self.receive(event, turn) } }
        isPlaying = true
    }

    private func receive(_ event: Event<[UInt8]>, _ number: Int) {
        guard stream?.number == number else { return }
        events.append(event)
        play()
    }

    private func play(_ event: Event<[UInt8]>) {
        switch event {
        case .next(let bytes):
            if !bytes.isEmpty { begin(bytes) }
        case .error:
            endStream()
            perform(.reset)
        case .completed: endStream()
        }
    }

    private func endStream() {
        stream?.subscription.dispose()
        stream = nil
        events = Fifo()
    }

    // MARK: Waiting

    private func sleep(_ delay: Duration) {
        guard let scheduler else { return }
        wait { player, turn in
            scheduler.scheduleRelative((), dueTime: delay) { _ in
                player.confine { player.proceed(turn) }
                return Disposables.create()
            }
        }
    }

    private func hold(until barrier: Barrier) {
        wait { player, turn in barrier.wait { player.confine { player.proceed(turn) } } }
    }

    private func wait(_ start: (ResponsePlayer, Int) -> any Disposable) {
        turn += 1
        let place = SerialDisposable()
        waiting = place
        place.disposable = start(self, turn)
    }

    private func proceed(_ turn: Int) {
        guard turn == self.turn, waiting != nil else { return }
        waiting?.dispose()
        waiting = nil
        play()
    }

    private func replace(with result: Result<ScriptedResponse, any Error>, _ turn: Int) {
        guard turn == self.turn, waiting != nil else { return }
        switch result {
        case .success(let response):
            self.response = response
            steps += response.steps.reversed()
        case .failure:
            steps = [.reset]
        }
        proceed(turn)
    }
}
