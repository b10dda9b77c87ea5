/// When to come back, as the value of a `Retry-After` field says: a number of seconds, or a date. Source: RFC 9110 sections 10.2.3 and 5.6.7.
public struct RetryAfter: Sendable, Equatable {
    private enum Moment: Sendable, Equatable {
        case seconds(Int)
        case date(secondsSince1970: Int)
    }

    private let moment: Moment

    /// What the field says; `nil` if it is neither. A number of seconds beyond a year counts as a year.
    public init?(_ field: String) {
        let text = field.trimmingPrefix { $0 == " " }
        if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) {
            // A delay that no one would wait for is as good as a year, and cannot overflow.
            moment = .seconds(min(Int(text) ?? .max, 31_536_000))
        } else if let date = HTTPDate.secondsSince1970(String(text)) {
            moment = .date(secondsSince1970: date)
        } else {
            return nil
        }
    }

    /// How long to wait from `secondsSince1970` on, on the clock that a date is of; zero if it has passed.
    public func delay(at secondsSince1970: Double) -> Duration {
        switch moment {
        case .seconds(let seconds): .seconds(seconds)
        case .date(let date): max(.zero, .seconds(Double(date) - secondsSince1970))
        }
    }
}
