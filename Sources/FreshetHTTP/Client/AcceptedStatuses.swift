/// Which status codes are no error.
@usableFromInline
struct AcceptedStatuses: Sendable {
    /// An object, for these are copied with each request, and are nearly always a range alone.
    @usableFromInline
    final class Choice: Sendable {
        let isFine: @Sendable (Int) -> Bool

        @usableFromInline
        init(_ isFine: @escaping @Sendable (Int) -> Bool) {
            self.isFine = isFine
        }
    }

    @usableFromInline var range: Range<Int>
    /// What those in the range have to be besides.
    @usableFromInline var choice: Choice?

    static let all = AcceptedStatuses(within: .min..<(.max))

    @inlinable
    init(within range: Range<Int>, _ choice: Choice? = nil) {
        self.range = range
        self.choice = choice
    }

    /// Inlined, so that it is known which of the two it is.
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

    /// Leaves those that are among `others` too.
    mutating func formIntersection(_ others: AcceptedStatuses) {
        range = range.clamped(to: others.range)
        guard let one = others.choice else { return }
        choice = choice.map { other in Choice { one.isFine($0) && other.isFine($0) } } ?? one
    }
}
