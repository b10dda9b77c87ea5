import FreshetCore
import HTTPTypes

/// Measures where the time of a request goes, by what happens to the request. A request is in one phase at a time.
struct PhaseClock {
    private enum Phase {
        case queued, resolving, connecting, securing, sending, waiting, receiving, between
    }

    let start: Instant
    private var last: Instant
    private var phase = Phase.queued
    private var isSecure = false
    private var timings = RequestTimings(attempts: 0, untilHead: .zero, total: .zero)

    @inline(__always)
    init(start: Instant) {
        self.start = start
        last = start
    }

    mutating func record(_ action: RequestStateMachine.Action, at now: @autoclosure () -> Instant) {
        switch action {
        case .send(let request): queue(isSecure: request.url.isSecure, at: now())
        case .ask, .adapt(true): endPhase(at: now())
        case .adapt(false): enter(.queued, at: now())
        case .emit(.phase(let phase)): reach(phase, at: now())
        case .emit(.sent): sendPiece(at: now())
        case .emit(.redirect): responseBegan(at: now())
        case .emit(.head): deliver(at: now())
        default: break
        }
    }

    /// The request is given to the transport, for the first time or once more.
    mutating func queue(isSecure: Bool, at now: @autoclosure () -> Instant) {
        self.isSecure = isSecure
        if phase != .queued { enter(.queued, at: now()) }
    }

    @inline(__always)
    mutating func reach(_ step: TransferPhase, at now: @autoclosure () -> Instant) {
        let next: Phase
        switch step {
        case .admitted: next = .resolving
        case .resolved: next = .connecting
        case .connected(_, let isReused):
            // A kept connection resolves nothing, so the time since admission counts as connecting.
            if isReused, phase == .resolving { phase = .connecting }
            next = isSecure && !isReused ? .securing : .waiting
        case .secured: next = .waiting
        case .requestSent, .cache, .layer: return
        }
        enter(next, at: now())
    }

    /// A piece of the body has been handed to the network, maybe the last.
    mutating func sendPiece(at now: @autoclosure () -> Instant) {
        guard phase == .waiting else { return }
        phase = .sending
        enter(.waiting, at: now())
    }

    /// The head of a response has come, whether the response is delivered or not.
    mutating func responseBegan(at now: @autoclosure () -> Instant) {
        // A transport without a network reports no phases.
        if phase == .resolving { phase = .waiting }
        enter(.receiving, at: now())
    }

    /// The head of the delivered response has come.
    mutating func deliver(at now: Instant) {
        responseBegan(at: now)
        timings.untilHead = start.duration(to: now)
    }

    /// The attempt is over, and it is not known yet whether another follows.
    mutating func endPhase(at now: @autoclosure () -> Instant) {
        if phase != .between { enter(.between, at: now()) }
    }

    /// Returns the timings of a request that ends at `now`.
    func end(attempts: Int, at now: Instant) -> RequestTimings {
        var ended = self
        ended.enter(.between, at: now)
        ended.timings.attempts = attempts
        ended.timings.total = start.duration(to: now)
        return ended.timings
    }

    private mutating func enter(_ next: Phase, at now: Instant) {
        let span = last.duration(to: now)
        switch phase {
        case .queued: timings.queued.add(span)
        case .resolving: timings.resolving.add(span)
        case .connecting: timings.connecting.add(span)
        case .securing: timings.securing.add(span)
        case .sending: timings.sending.add(span)
        case .waiting: timings.waiting.add(span)
        case .receiving: timings.receiving.add(span)
        case .between: break
        }
        last = now
        phase = next
    }
}

extension Duration {
    /// Adds in place. The operator `+=` would be a function call.
    @inline(__always)
    fileprivate mutating func add(_ other: Duration) {
        self = Duration(attoseconds: attoseconds + other.attoseconds)
    }
}
