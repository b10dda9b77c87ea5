/// The status codes that are not an error.
@usableFromInline
struct AcceptedStatuses: Sendable {
    /// A condition on a status. It is an object, because requests copy their accepted statuses, and most of these have only a
    /// range.
    @usableFromInline
    final class Choice: Sendable {
        let isFine: @Sendable (Int) -> Bool

        @usableFromInline
        init(_ isFine: @escaping @Sendable (Int) -> Bool) {
            self.isFine = isFine
        }
    }

    @usableFromInline var range: Range<Int>
    /// The condition that a status inside of ``range`` also has to meet.
    @usableFromInline var choice: Choice?

    static let all = AcceptedStatuses(within: .min..<(.max))

    @inlinable
    init(within range: Range<Int>, _ choice: Choice? = nil) {
        self.range = range
        self.choice = choice
    }

    /// Inlined, so that the compiler knows which of the two branches applies.
    @inlinable
    init<Codes: Sequence<Int> & Sendable>(_ codes: Codes) {
        if let range = codes as? Range<Int> {
            self.init(within: range)
        } else {
            self.init(within: .min..<(.max), Choice { codes.contains($0) })
        }
    }

    func contains(_ code: Int) -> Bool {
        range.contains(code) && choice?.isFine(code) ?? true
    }

    /// Removes the statuses that `others` does not contain.
    mutating func formIntersection(_ others: AcceptedStatuses) {
        range = range.clamped(to: others.range)
        guard let one = others.choice else { return }
        choice = choice.map { other in Choice { one.isFine($0) && other.isFine($0) } } ?? one
    }
}
