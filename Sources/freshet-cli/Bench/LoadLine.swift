import Freshet

/// The live line of a run: how far it is, and how fast it goes at the moment.
final class LoadLine: Sendable {
    /// A second of them, as the line is drawn.
    private static let remembered = 10

    private let plan: LoadPlan
    private let progress: @Sendable () -> LoadProgress
    private let last = Locked<[LoadProgress]>([])

    init(_ plan: LoadPlan, _ progress: @escaping @Sendable () -> LoadProgress) {
        self.plan = plan
        self.progress = progress
    }

    @Sendable
    func text() -> String {
        let now = progress()
        let before = last.withLock { last in
            defer {
                last.append(now)
                if last.count > Self.remembered { last.removeFirst() }
            }
            return last.first ?? LoadProgress()
        }
        let span = max(1e-3, (now.time - before.time) / .seconds(1))
        let rate = Int((Double(now.ended - before.ended) / span).rounded())
        return "\(bar(fraction(now), width: 20)) \(grouped(now.ended)) requests, \(grouped(now.failed)) errors, "
            + "\(grouped(rate)) a second, \(grouped(now.running)) under way"
    }

    private func fraction(_ now: LoadProgress) -> Double {
        max(
            plan.requests.map { Double(now.ended) / Double(max(1, $0)) } ?? 0,
            plan.duration.map { now.time / $0 } ?? 0)
    }
}
