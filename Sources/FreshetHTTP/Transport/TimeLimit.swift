/// A time limit or none, in one word of memory, because options are copied with every request.
struct TimeLimit: Sendable, Hashable, Comparable {
    /// The largest value stands for no limit.
    private let nanoseconds: Int64

    /// - Parameter span: `nil` is no limit. A span that 64 bits of nanoseconds can't hold, which is 292 years, is no limit
    ///   either.
    init(_ span: Duration?) {
        guard let (seconds, attoseconds) = span?.components else {
            nanoseconds = .max
            return
        }
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowsToo) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        nanoseconds = overflows || overflowsToo ? (seconds < 0 ? 0 : .max) : sum
    }

    init(seconds: Int64) {
        nanoseconds = seconds * 1_000_000_000
    }

    static func < (left: TimeLimit, right: TimeLimit) -> Bool { left.nanoseconds < right.nanoseconds }

    var span: Duration? { nanoseconds == .max ? nil : .nanoseconds(nanoseconds) }
}
