import FreshetCore

/// The time between the cancellation of a resumable download and the closing of its part on another thread. A new download to the
/// same path waits for the end of that time.
final class PartDeparture: Sendable {
    private enum Phase {
        case ahead, underWay, over
    }

    /// The departures from one path that are under way.
    private struct Departures {
        var count = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private static let departures = Locked<[String: Departures]>([:])

    private let path: String
    private let phase = Locked(Phase.ahead)

    init(from path: String) {
        self.path = path
    }

    /// Calls `body` when no departure from the path is under way, which can be at once.
    func afterOthers(_ body: @escaping @Sendable () -> Void) {
        let mustWait = Self.departures.withLock { $0[path]?.waiting.append(body) != nil }
        if !mustWait { body() }
    }

    func begin() {
        phase.withLock { phase in
            guard phase == .ahead else { return }
            phase = .underWay
            Self.departures.withLock { $0[path, default: Departures()].count += 1 }
        }
    }

    func end() {
        let isUnderWay = phase.withLock { phase in
            defer { phase = .over }
            return phase == .underWay
        }
        guard isUnderWay else { return }
        let waiting = Self.departures.withLock { departures in
            departures[path]?.count -= 1
            return departures[path]?.count == 0 ? departures.removeValue(forKey: path)?.waiting : nil
        }
        waiting?.forEach { $0() }
    }
}
