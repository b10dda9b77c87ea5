import FreshetCore

/// The outcomes of the calls in a window. In a window of time, each tenth has one entry, however many calls there are.
struct CallRecord: Sendable {
    struct Entry: Sendable {
        let start: Instant
        var sums: Sums
    }

    struct Sums: Sendable {
        var calls = 0
        var failures = 0
        var slowCalls = 0
        /// The calls that were cancelled after they had become slow. They are neither successes nor failures.
        var cancelledCalls = 0

        mutating func add(_ other: Sums, _ sign: Int = 1) {
            calls += sign * other.calls
            failures += sign * other.failures
            slowCalls += sign * other.slowCalls
            cancelledCalls += sign * other.cancelledCalls
        }
    }

    private let window: CircuitBreaker.Settings.Window
    /// The oldest entry comes first. The first `expired` ones have left the window, and are removed now and then.
    private(set) var entries: [Entry] = []
    private var expired = 0
    private var total = Sums()
    private(set) var failuresInARow = 0

    init(_ window: CircuitBreaker.Settings.Window) {
        self.window = window
    }

    mutating func add(_ outcome: CircuitBreaker.Outcome, isSlow: Bool, at now: Instant) {
        switch outcome {
        case .success: failuresInARow = 0
        case .failure: failuresInARow += 1
        case .none: break
        }
        let call = Sums(
            calls: 1, failures: outcome == .failure ? 1 : 0, slowCalls: isSlow ? 1 : 0,
            cancelledCalls: outcome == .none ? 1 : 0)
        total.add(call)
        if case .time(let span) = window, let last = entries.last, last.start.duration(to: now) < span / 10 {
            entries[entries.count - 1].sums.add(call)
        } else {
            entries.append(Entry(start: now, sums: call))
        }
        while expired < entries.count, hasLeft(entries[expired], at: now) {
            total.add(entries[expired].sums, -1)
            expired += 1
        }
        if expired > entries.count - expired {
            entries.removeFirst(expired)
            expired = 0
        }
    }

    private func hasLeft(_ entry: Entry, at now: Instant) -> Bool {
        switch window {
        case .calls(let limit): total.calls > max(1, limit)
        case .time(let span): entry.start.duration(to: now) > span
        }
    }

    func opens(_ settings: CircuitBreaker.Settings) -> Bool {
        if let limit = settings.consecutiveFailures, failuresInARow >= max(1, limit) { return true }
        let (minimum, results) = (minimumCalls(settings), total.calls - total.cancelledCalls)
        if let rate = settings.failureRate, results >= minimum || (isFull && 2 * results >= minimum),
            reaches(rate, total.failures, of: results)
        {
            return true
        }
        guard settings.slowCall != nil, total.calls >= minimum else { return false }
        return reaches(settings.slowCallRate, total.slowCalls, of: total.calls)
    }

    /// A window of fewer calls would never have the minimum.
    private func minimumCalls(_ settings: CircuitBreaker.Settings) -> Int {
        if case .calls(let limit) = window { min(settings.minimumCalls, max(1, limit)) } else { settings.minimumCalls }
    }

    /// Whether the window can't get more calls. Those that were cancelled could keep it below the minimum for ever.
    private var isFull: Bool { if case .calls(let limit) = window { total.calls >= limit } else { false } }

    private func reaches(_ rate: Double, _ part: Int, of all: Int) -> Bool {
        part > 0 && Double(part) / Double(all) >= rate
    }
}
