import FreshetCore

/// The outcomes of the calls in a window.
struct CallRecord: Sendable {
    private struct Call: Sendable {
        let outcome: CircuitBreaker.Outcome
        let isSlow: Bool
        let end: Instant
    }

    private let window: CircuitBreaker.Settings.Window
    /// The oldest call comes first. The first `expired` ones have left the window, and are removed now and then.
    private var calls: [Call] = []
    private var expired = 0
    private var failures = 0
    private var slowCalls = 0
    private var cancelledCalls = 0
    private(set) var failuresInARow = 0

    init(_ window: CircuitBreaker.Settings.Window) {
        self.window = window
    }

    private var count: Int { calls.count - expired }

    mutating func add(_ outcome: CircuitBreaker.Outcome, isSlow: Bool, at now: Instant) {
        switch outcome {
        case .success: failuresInARow = 0
        case .failure: failuresInARow += 1
        case .none: break
        }
        let call = Call(outcome: outcome, isSlow: isSlow, end: now)
        calls.append(call)
        tally(call, 1)
        while count > 0, hasLeft(calls[expired], at: now) {
            tally(calls[expired], -1)
            expired += 1
        }
        if expired > count {
            calls.removeFirst(expired)
            expired = 0
        }
    }

    private func hasLeft(_ call: Call, at now: Instant) -> Bool {
        switch window {
        case .calls(let limit): count > max(1, limit)
        case .time(let span): call.end.duration(to: now) > span
        }
    }

    private mutating func tally(_ call: Call, _ change: Int) {
        if call.outcome == .failure { failures += change }
        if call.outcome == .none { cancelledCalls += change }
        if call.isSlow { slowCalls += change }
    }

    func opens(_ settings: CircuitBreaker.Settings) -> Bool {
        if let limit = settings.consecutiveFailures, failuresInARow >= max(1, limit) { return true }
        guard count >= minimumCalls(settings) else { return false }
        if let rate = settings.failureRate, reaches(rate, failures, of: count - cancelledCalls) { return true }
        return settings.slowCall != nil && reaches(settings.slowCallRate, slowCalls, of: count)
    }

    /// A window of fewer calls would never have the minimum.
    private func minimumCalls(_ settings: CircuitBreaker.Settings) -> Int {
        if case .calls(let limit) = window { min(settings.minimumCalls, max(1, limit)) } else { settings.minimumCalls }
    }

    private func reaches(_ rate: Double, _ part: Int, of all: Int) -> Bool {
        part > 0 && Double(part) / Double(all) >= rate
    }
}
