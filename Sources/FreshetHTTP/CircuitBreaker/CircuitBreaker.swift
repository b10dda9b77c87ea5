public import FreshetCore

/// Stops calls to a server that fails, as a value without a clock. Source: the pattern of resilience4j and Polly.
///
/// While it is *closed*, it admits all calls and counts their outcomes. Too many failures or slow calls *open* it: calls are
/// refused for a pause, which doubles with each opening in a row. After the pause it is *half-open* and admits a few probes.
/// Their success closes it, and a failure opens it again. A probe that has no outcome in time counts as a failure, so it can't
/// stay half-open for ever.
public struct CircuitBreaker: Sendable {
    /// Permission for one call. Its holder always returns it with ``settle(_:_:after:at:random:)``.
    public struct Permit: Sendable, Hashable {
        let number: Int
        /// The closed or half-open period that the permit belongs to. An outcome of an earlier period is ignored.
        let period: Int
    }

    public enum Admission: Sendable, Hashable {
        case admitted(Permit)
        /// It is open: the next try is possible after this time.
        case refused(for: Duration)
        /// It is half-open, and as many probes are running as are allowed.
        case probing
    }

    public enum Outcome: Sendable, Hashable {
        case success
        case failure
        /// The caller cancelled the call. It is ignored, unless it has already taken as long as a slow call.
        case none
    }

    /// The calls that it admits. Source: the states of resilience4j.
    public enum Phase: Sendable, Hashable {
        /// It admits all calls.
        case closed
        /// It admits no call. This remains the phase after the pause, until the next call, which is a probe.
        case open
        /// It admits as many probes as ``Settings/probes`` says.
        case halfOpen
    }

    enum State: Sendable {
        case closed
        case open(until: Instant)
        /// The probes that are running, with their deadlines.
        case halfOpen(probes: [Int: Instant], successes: Int)
    }

    private let settings: Settings
    private(set) var state = State.closed
    private(set) var record: CallRecord
    private var period = 0
    private var lastNumber = 0
    private var openings = 0

    /// Without a probe, it would stay half-open for ever.
    private var neededProbes: Int { max(1, settings.probes) }

    public init(_ settings: Settings = Settings()) {
        self.settings = settings
        record = CallRecord(settings.window)
    }

    /// The calls that it admits now. It has no clock, so the end of a pause does not change it.
    public var phase: Phase {
        switch state {
        case .closed: .closed
        case .open: .open
        case .halfOpen: .halfOpen
        }
    }

    /// Whether calls are refused at this time.
    public func isOpen(at now: Instant) -> Bool { remainingPause(at: now) != nil }

    /// How long it stays open; `nil` if it is not open at this time.
    public func remainingPause(at now: Instant) -> Duration? {
        if case .open(let end) = state, now < end { now.duration(to: end) } else { nil }
    }

    /// Asks for permission for a call.
    public mutating func admit(at now: Instant, random: Double = .random(in: 0..<1)) -> Admission {
        switch state {
        case .closed: return .admitted(nextPermit())
        case .open(let end):
            guard now >= end else { return .refused(for: now.duration(to: end)) }
            period += 1
            state = .halfOpen(probes: [:], successes: 0)
            return admit(at: now, random: random)
        case .halfOpen(var probes, let successes):
            if probes.values.contains(where: { $0 <= now }) {
                open(at: now, random: random)
                return admit(at: now, random: random)
            }
            guard probes.count + successes < neededProbes else { return .probing }
            let permit = nextPermit()
            probes[permit.number] = now.advanced(by: settings.probeDeadline)
            state = .halfOpen(probes: probes, successes: successes)
            return .admitted(permit)
        }
    }

    /// A long-lived response that is no failure has begun. This settles a probe, which would keep the breaker half-open until its
    /// end. Any other call is settled at its end.
    public mutating func beginResponse(to permit: Permit, at now: Instant) {
        if case .halfOpen = state { settle(permit, .success, at: now) }
    }

    /// Gives a permit back with the outcome of its call.
    ///
    /// - Parameters:
    ///   - permit: the permit of the call.
    ///   - outcome: how the call ended.
    ///   - duration: how long the response took to begin, for slow calls.
    ///   - now: the time.
    ///   - random: a random number from 0 to 1, for the length of a pause.
    public mutating func settle(
        _ permit: Permit, _ outcome: Outcome, after duration: Duration = .zero, at now: Instant,
        random: Double = .random(in: 0..<1)
    ) {
        guard permit.period == period else { return }
        let isSlow = settings.slowCall.map { duration >= $0 } ?? false
        switch state {
        case .closed:
            guard outcome != .none || isSlow else { return }
            record.add(outcome, isSlow: isSlow, at: now)
            if record.opens(settings) { open(at: now, random: random) }
        case .halfOpen(var probes, var successes):
            guard probes.removeValue(forKey: permit.number) != nil else { return }
            if outcome == .failure || (outcome == .none && isSlow) { return open(at: now, random: random) }
            if outcome == .success { successes += 1 }
            state = .halfOpen(probes: probes, successes: successes)
            if successes >= neededProbes { close() }
        case .open: break
        }
    }

    /// Opens for at least `pause`, because the server has asked for it. A pause of zero or less changes nothing.
    public mutating func open(atLeast pause: Duration, at now: Instant) {
        guard pause > .zero else { return }
        if case .open(let end) = state, now.duration(to: end) >= pause { return }
        period += 1
        state = .open(until: now.advanced(by: pause))
    }

    /// Forgets the counted outcomes and the length of the last pause, because the server has served another client. A pause
    /// that has begun continues.
    public mutating func reset() {
        openings = 0
        record = CallRecord(settings.window)
    }

    private mutating func open(at now: Instant, random: Double) {
        // The limit keeps the shift from overflowing.
        let doublings = min(openings, 40)
        openings += 1
        let longest = settings.longestPause / .seconds(1)
        let whole = min(settings.pause / .seconds(1) * Double(1 << doublings), longest)
        period += 1
        state = .open(until: now.advanced(by: .seconds(whole * (1 + random) / 2)))
    }

    private mutating func close() {
        period += 1
        reset()
        state = .closed
    }

    private mutating func nextPermit() -> Permit {
        lastNumber += 1
        return Permit(number: lastNumber, period: period)
    }
}
