/// Which status codes are no error.
@usableFromInline
enum AcceptedStatuses: Sendable {
    case all
    /// As nearly always; there is nothing to hold then.
    case within(Range<Int>)
    case those(@Sendable (Int) -> Bool)

    /// Inlined, so that it is known which of the two it is.
    @inlinable
    init<Codes: Sequence<Int> & Sendable>(_ codes: Codes) {
        if let range = codes as? Range<Int> {
            self = .within(range)
        } else {
            self = .those { codes.contains($0) }
        }
    }

    func contains(_ code: Int) -> Bool {
        switch self {
        case .all: true
        case .within(let range): range.contains(code)
        case .those(let isFine): isFine(code)
        }
    }

    /// Those that are among `others` too.
    func intersection(_ others: AcceptedStatuses) -> AcceptedStatuses {
        if case .all = self { return others }
        return .those { contains($0) && others.contains($0) }
    }
}
