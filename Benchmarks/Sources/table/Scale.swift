import Glibc
import Workload

/// How this machine stands to the one on which RxSwift was recorded: what that very run measured beside RxSwift is
/// measured here again.
struct Scale {
    private static let recorded: [(Shape, Contender, nanoseconds: Double)] = [
        (.mapFilterPumping, .limit, 35), (.subjectToOne, .limit, 21),
        (.mapFilterPumping, .openCombine, 856), (.subjectToOne, .openCombine, 212),
    ]

    /// The geometric mean of the yardsticks.
    let value: Double
    /// What the lowest and the highest of them say.
    let range: ClosedRange<Double>

    init(_ stopwatch: Stopwatch) {
        let mapFilter = stopwatch.measure(.mapFilterPumping)
        let subject = stopwatch.measure(.subjectToOne)
        let scales = Self.recorded.map { shape, contender, then in
            let now = (shape == .subjectToOne ? subject : mapFilter).nanoseconds[contender] ?? then
            return now / then
        }
        value = exp(scales.map { log($0) }.reduce(0, +) / Double(scales.count))
        range = scales.min()!...scales.max()!
    }
}
