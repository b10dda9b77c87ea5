public import HTTPTypes

/// The value of a `Retry-After` field: a number of seconds, or a date. Source: RFC 9110 sections 10.2.3 and 5.6.7.
public struct RetryAfter: Sendable, Equatable {
    private enum Moment: Sendable, Equatable {
        case seconds(Int)
        case date(secondsSince1970: Int)
    }

    private let moment: Moment

    /// Reads `field`; `nil` if it is neither a number nor a date. A number of seconds beyond a year counts as a year.
    public init?(_ field: String) {
        let text = field.trimmingPrefix { $0 == " " }
        if text.isDigits {
            // Nobody waits for longer than a year, and a year cannot overflow.
            moment = .seconds(min(Int(text) ?? .max, 31_536_000))
        } else if let date = HTTPDate.secondsSince1970(String(text)) {
            moment = .date(secondsSince1970: date)
        } else {
            return nil
        }
    }

    /// How long to wait at `secondsSince1970`, by the clock of the date; zero if the date has passed.
    public func delay(at secondsSince1970: Double) -> Duration {
        switch moment {
        case .seconds(let seconds): .seconds(seconds)
        case .date(let date): max(.zero, .seconds(Double(date) - secondsSince1970))
        }
    }
}

extension HTTPFields {
    /// How long the `Retry-After` of a response asks to wait; `nil` if there is none. A date in it is on the server's clock; see
    /// ``serverTime(orElse:)``.
    ///
    /// - Parameter secondsSince1970: the time by this machine's wall clock.
    public func retryDelay(at secondsSince1970: Double) -> Duration? {
        self[.retryAfter].flatMap { RetryAfter($0) }?.delay(at: serverTime(orElse: secondsSince1970))
    }
}
