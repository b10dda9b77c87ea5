import CFreshetCurl
import FreshetCore
import FreshetHTTP
import FreshetLoop
import Synchronization

/// One transfer from the queue to its end, and the subscription to it.
///
/// The transfer applies events to its ``state``, and performs the actions that the state returns. The pool also stores the
/// transfer's entry in the queue and its deadline in the state.
// Unchecked: only the loop uses `state`, and the caller if the loop has ended.
final class CurlTransfer: Transfer, DeadlineTarget, LoopWork, @unchecked Sendable {
    /// The request as the caller gave it.
    let original: Request
    let receiver: any TransferReceiver
    // Retained, so that a transport without other owners still ends its transfers.
    let transport: CurlTransport
    private let disposed = Atomic<Bool>(false)
    private let pauseWanted = Atomic<Bool>(false)
    #if DEBUG
        var state: TransferStateMachine
    #else
        // Debug builds, in which the tests run, check exclusivity: see the page ExclusivityChecksStayOn.
        @exclusivity(unchecked) var state: TransferStateMachine
    #endif

    init(
        _ request: Request, _ options: TransferOptions, transport: CurlTransport, to receiver: any TransferReceiver
    ) {
        original = request
        self.transport = transport
        self.receiver = receiver
        state = TransferStateMachine(request, options)
        Resources.increment()
    }

    deinit { Resources.decrement() }

    // MARK: Any thread

    var isDisposed: Bool { disposed.load(ordering: .relaxed) }
    var isPauseWanted: Bool { pauseWanted.load(ordering: .relaxed) }

    func start() {
        transport.pool.submit(.start(self))
    }

    func dispose() {
        if !disposed.exchange(true, ordering: .acquiringAndReleasing) { transport.pool.submit(.cancel(self)) }
    }

    func pause() {
        pauseWanted.store(true, ordering: .releasing)
    }

    func resume() {
        if pauseWanted.exchange(false, ordering: .acquiringAndReleasing) { transport.pool.submit(.resume(self)) }
    }

    /// The body has more bytes, or has ended, after libcurl found no bytes to send.
    func bodyContinues() {
        transport.pool.submit(.sendOn(self))
    }

    // MARK: The loop

    var pool: CurlPool { transport.pool }

    func runOnLoop() { pool.perform(.start(self)) }

    func deadlineReached() { pool.deadlineReached(by: self) }

    /// Applies an input, and performs the actions that the state returns.
    ///
    /// - Returns: whether libcurl may continue.
    @discardableResult
    func apply(_ input: TransferStateMachine.Input) -> Bool {
        let actions = state.apply(input)
        var continues = true
        for action in actions {
            if case .stop = action { continues = false } else { perform(action) }
        }
        return continues && !isDisposed
    }

    private func perform(_ action: TransferStateMachine.Action) {
        switch action {
        case .announceRequest: if !isDisposed { receiver.willSend(state.request) }
        case .deliver(let part): deliver(part)
        case .reportSent:
            if let easy = state.easy { deliver(.phase(.requestSent(bytes: easy.requestSize(of: self)))) }
        case .stop: break
        case .recordMultiplexing(let multiplexes):
            if pool.state.admission.record(multiplexes: multiplexes, by: self) { pool.submit(.beginNext) }
        case .cork: state.easy?.multi.cork(state.connectionIdentity)
        case .rewindBody: state.upload?.rewind()
        case .cutBody:
            state.upload?.cut()
            bodyContinues()
        case .watchWire: state.easy?.watchWire()
        case .watchConnectionEnd: state.easy?.watchEnd()
        case .closeIfSurplusBytes: state.easy?.closeIfSurplusBytes()
        case .closeAfterResponse: state.easy?.closeAfterResponse()
        case .defer(let work): pool.submit(.deferred(self, work))
        case .conclude(let conclusion): pool.perform(conclusion, for: self)
        case .end(let failure): if !isDisposed { receiver.receiveEnd(failure) }
        }
    }

    /// Asks the pool in the next turn of the loop to end the pause, which it does unless the receiver wants a pause by then.
    ///
    /// A loop that has ended has no next turn.
    func resumeInNextTurn() {
        _ = pool.loop.execute { self.pool.submit(.resume(self)) }
    }

    func deliver(_ part: consuming ResponsePart) {
        if !isDisposed { receiver.receive(part) }
    }
}
