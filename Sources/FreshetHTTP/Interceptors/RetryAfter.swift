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
        } else if let date = Self.date(String(text)) {
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

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The preferred form, `Sun, 06 Nov 1994 08:49:37 GMT`; the two obsolete ones are not sent by anyone any more.
    package static func date(_ text: String) -> Int? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[0].hasSuffix(","), words[5] == "GMT", let day = Int(words[1]),
            let month = months.firstIndex(of: String(words[2])), let year = Int(words[3]), (1970...9999).contains(year),
            (1...31).contains(day)
        else { return nil }
        let time = words[4].split(separator: ":").compactMap { Int($0) }
        guard time.count == 3, (0..<24).contains(time[0]), (0..<60).contains(time[1]), (0...60).contains(time[2]) else {
            return nil
        }
        return daysSince1970(year, month + 1, day) * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
    }

    /// The days of the proleptic Gregorian calendar, counted in years that begin in March.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
