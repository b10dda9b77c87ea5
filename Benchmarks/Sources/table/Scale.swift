import Glibc
import Workload

/// How this machine stands to the one on which RxSwift was recorded: what that very run measured beside RxSwift is
/// measured here again.
struct Scale {
    private static let recorded: [(shape: Shape, contender: Contender, nanoseconds: Double)] = [
        (.mapFilterPumping, .limit, 35), (.subjectToOne, .limit, 21),
        (.mapFilterPumping, .openCombine, 856), (.subjectToOne, .openCombine, 212),
    ]

    static var shapes: Set<Shape> { Set(recorded.map(\.shape)) }

    /// The geometric mean of the yardsticks.
    let value: Double
    /// What the lowest and the highest of them say.
    let range: ClosedRange<Double>

    init(_ trials: [Trial]) {
        let scales = Self.recorded.compactMap { yardstick in
            trials.first { $0.shape == yardstick.shape }?.nanoseconds(yardstick.contender)
                .map { $0 / yardstick.nanoseconds }
        }
        value = exp(scales.map { log($0) }.reduce(0, +) / Double(scales.count))
        range = scales.min()!...scales.max()!
    }
}
