/// When to come back: a number of seconds, or a date. Source: RFC 9110 sections 10.2.3 and 5.6.7.
package struct RetryAfter: Equatable {
    private enum Moment: Equatable {
        case seconds(Int)
        case date(secondsSince1970: Int)
    }

    private let moment: Moment

    package init?(_ field: String) {
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

    package func delay(at secondsSince1970: Double) -> Duration {
        switch moment {
        case .seconds(let seconds): .seconds(seconds)
        case .date(let date): max(.zero, .seconds(Double(date) - secondsSince1970))
        }
    }
}
