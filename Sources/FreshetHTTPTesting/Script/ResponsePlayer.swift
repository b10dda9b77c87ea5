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

    private let scheduler: (any SchedulerType)?
    private let confine: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let output: (Output) -> Void
    private var response: ScriptedResponse
    private var steps: ArraySlice<ScriptedResponse.Step>
    private var waiting: SerialDisposable?
    /// Distinguishes a late wake-up from the one that the player waits for.
    private var turn = 0
    private(set) var isPaused = false
    private var isPlaying = false
    private var isFinished = false
    private var pace: Pace?
    /// Whether the player applies the pace of a response. If not, the receiver of the output does.
    private let slowsPieces: Bool

    /// - Parameters:
    ///   - scheduler: the clock for the delays; without one they take no time.
    ///   - confine: runs work of other threads where `play`, `pause`, `resume` and `stop` are called.
    init(
        _ response: ScriptedResponse, scheduler: (any SchedulerType)?, slowsPieces: Bool,
        confine: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, output: @escaping (Output) -> Void
    ) {
        self.response = response
        self.scheduler = scheduler
        self.slowsPieces = slowsPieces
        self.confine = confine
        self.output = output
        steps = response.steps[...]
    }

    /// Plays steps until one of them has to wait.
    func play() {
        guard !isPlaying else { return }
        isPlaying = true
        defer { isPlaying = false }
        while !isFinished, !isPaused, waiting == nil, let step = steps.popFirst() { perform(step) }
    }

    func pause() {
        isPaused = true
        waiting?.pause()
    }

    func resume() {
        isPaused = false
        waiting?.resume()
        play()
    }

    func stop() {
        isFinished = true
        waiting?.dispose()
        waiting = nil
    }

    private func perform(_ step: ScriptedResponse.Step) {
        switch step {
        case .wait(let delay):
            guard let scheduler else { return }
            wait { player, turn in
                scheduler.scheduleRelative((), dueTime: delay) { _ in
                    player.confine { player.proceed(turn) }
                    return Disposables.create()
                }
            }
        case .hold(let hold):
            wait { player, turn in hold.wait { player.confine { player.proceed(turn) } } }
        case .replace(let later):
            wait { player, turn in
                later.subscribe { result in player.confine { player.replace(with: result, turn) } }
            }
        case .stream(let stream):
            wait { player, turn in
                stream.subscribe { event in player.confine { player.receive(event, turn) } }
            }
        case .piece(let bytes, let times):
            if times > 1 { steps = [.piece(bytes, times: times - 1)] + steps }
            if slowsPieces, let pace { slow(bytes, pace) } else { output(.piece(bytes)) }
        case .informational(let head): output(.informational(head))
        case .head: output(.head(response))
        case .end: finish(.end(response))
        case .raw(let bytes, let times):
            if times > 1 { steps = [.raw(bytes, times: times - 1)] + steps }
            output(.raw(bytes))
        case .pace(let pace):
            self.pace = pace
            output(.pace(pace))
        case .stay: finish(.stay)
        case .close: finish(.close)
        case .reset: finish(.reset)
        case .fail(let error): finish(.fail(error))
        }
    }

    /// Outputs the bytes that the pace allows, and puts the rest back into the steps.
    private func slow(_ bytes: [UInt8], _ pace: Pace) {
        switch pace {
        case .every(let count, let pause):
            output(.piece(Array(bytes.prefix(count))))
            if bytes.count > count { steps = [.wait(pause), .piece(Array(bytes.dropFirst(count)), times: 1)] + steps }
        case .tap(let tap):
            let count = tap.consume(atMost: bytes.count)
            if count > 0 { output(.piece(Array(bytes.prefix(count)))) }
            guard count < bytes.count else { return }
            steps = [.piece(Array(bytes.dropFirst(count)), times: 1)] + steps
            wait { player, turn in tap.wait { player.confine { player.proceed(turn) } } }
        }
    }

    private func finish(_ last: Output) {
        isFinished = true
        output(last)
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
            steps = response.steps[...] + steps
        case .failure:
            steps = [.reset]
        }
        proceed(turn)
    }

    private func receive(_ event: Event<[UInt8]>, _ turn: Int) {
        guard turn == self.turn, waiting != nil else { return }
        switch event {
        case .next(let bytes):
            if !bytes.isEmpty { output(.piece(bytes)) }
        case .error:
            steps = [.reset]
            proceed(turn)
        case .completed:
            proceed(turn)
        }
    }
}
