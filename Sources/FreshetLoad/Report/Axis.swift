import Foundation

/// The axis of a plot: maps values to parts of its length, and chooses its marks.
struct Axis: Sendable {
    let low: Double
    let high: Double
    let isLogarithmic: Bool

    /// An axis from zero to a round number that is not below `highest`.
    static func linear(upTo highest: Double) -> Axis {
        let step = roundStep(for: max(highest, 1e-9), marks: 4)
        return Axis(low: 0, high: (max(highest, 1e-9) / step - 1e-9).rounded(.up) * step, isLogarithmic: false)
    }

    /// An axis from zero to exactly `end`.
    static func time(upTo end: Double) -> Axis {
        Axis(low: 0, high: max(end, 1e-9), isLogarithmic: false)
    }

    static func logarithmic(from low: Double, to high: Double) -> Axis {
        Axis(low: max(low, 1e-9), high: max(high, max(low, 1e-9) * 1.1), isLogarithmic: true)
    }

    /// Returns the position of `value` on the axis, from 0 to 1. A value beyond an end lies at that end.
    func part(_ value: Double) -> Double {
        let part =
            isLogarithmic
            ? log(max(value, low) / low) / log(high / low) : (value - low) / (high - low)
        return min(max(part, 0), 1)
    }

    /// Returns round values to mark, about `count` of them at most.
    ///
    /// - Parameter distance: the part of the axis that a label needs.
    func marks(_ count: Int, distance: Double = 0.08) -> [Double] {
        isLogarithmic ? logarithmicMarks(count, distance) : linearMarks(count)
    }

    /// Returns the marks with their labels.
    func marks(_ count: Int, distance: Double = 0.08, label: (Double) -> String) -> [Plot.Mark] {
        marks(count, distance: distance).map { .init(part: part($0), label: label($0)) }
    }

    private func linearMarks(_ count: Int) -> [Double] {
        let step = Self.roundStep(for: high, marks: count)
        return (0...Int((high / step + 1e-9).rounded(.down))).map { Double($0) * step }
    }

    /// Returns the finest marks that are neither too many nor too close.
    private func logarithmicMarks(_ count: Int, _ distance: Double) -> [Double] {
        let decades = Int(log10(low).rounded(.down))...Int(log10(high).rounded(.up))
        var marks: [Double] = []
        for digits in [[1.0, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 5], [1, 2, 5], [1, 3], [1]] {
            marks = decades.flatMap { decade in digits.map { $0 * pow(10, Double(decade)) } }
                .filter { $0 >= low * 0.999 && $0 <= high * 1.001 }
            let isWide = zip(marks, marks.dropFirst()).allSatisfy { part($1) - part($0) >= distance }
            if marks.count <= count, isWide, !marks.isEmpty { return marks }
        }
        // The decades are too close, or the axis contains none. Keep the decades that fit, or the ends.
        guard marks.count > 1 else { return [low, high] }
        return marks.reduce(into: []) { kept, mark in
            if kept.last.map({ part(mark) - part($0) >= distance }) ?? true { kept.append(mark) }
        }
    }

    /// Returns 1, 2 or 5 times a power of ten.
    private static func roundStep(for range: Double, marks: Int) -> Double {
        let rough = range / Double(marks)
        let power = pow(10, log10(rough).rounded(.down))
        let digit = [1.0, 2, 5, 10].first { $0 * power >= rough * 0.999 } ?? 10
        return digit * power
    }
}
