import Freshet

/// The counts of a load run at a moment.
struct LoadProgress: Sendable {
    var ended = 0
    var failed = 0
    var running = 0
    /// The time since the start.
    var time = Duration.zero
}

/// Describes the progress of a load run in one line, with the rate of the last second.
final class LoadProgressLine: Sendable {
    /// The number of counts that are kept to calculate the rate. The line is drawn ten times per second.
    private static let remembered = 10

    private let plan: LoadPlan
    private let last = Locked<[LoadProgress]>([])

    init(_ plan: LoadPlan) {
        self.plan = plan
    }

    func text(_ now: LoadProgress, width: Int) -> String {
        let before = last.withLock { last in
            defer {
                last.append(now)
                if last.count > Self.remembered { last.removeFirst() }
            }
            return last.first ?? LoadProgress()
        }
        let span = max(1e-3, (now.time - before.time) / .seconds(1))
        let rate = Int((Double(now.ended - before.ended) / span).rounded())
        let facts = [
            TextFormat.count(now.ended, "request"), TextFormat.count(now.failed, "error"),
            "\(TextFormat.count(rate)) per second", "\(TextFormat.count(now.running)) under way",
        ]
        return TextFormat.progress(fraction(now), facts, in: width)
    }

    private func fraction(_ now: LoadProgress) -> Double {
        max(
            plan.requests.map { Double(now.ended) / Double(max(1, $0)) } ?? 0,
            plan.duration.map { now.time / $0 } ?? 0)
    }
}
