/// Reads the date in an `Expires` attribute, in every form that servers write. Source: RFC 6265 section 5.1.1.
enum CookieDate {
    /// The moment in seconds since 1970; `nil` if `text` is not a date.
    static func secondsSince1970(_ text: String) -> Int? {
        var time: (Int, Int, Int)?
        var day: Int?
        var month: Int?
        var year: Int?
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            if time == nil, let found = self.time(token) {
                time = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = CalendarDay.month(Substring(token)) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found < 100 ? CalendarDay.year(ofTwoDigits: found) : found
            }
        }
        guard let time, let day, let month, let year, time.2 < 60 else { return nil }
        return CalendarDay.secondsSince1970(
            year: year, month: month, day: day, hour: time.0, minute: time.1, second: time.2)
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// Reads a time such as `8:49:37`. Anything but a digit may follow it.
    private static func time(_ token: Substring.UTF8View) -> (Int, Int, Int)? {
        let fields = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, let hour = digits(fields[0], 1...2), let minute = digits(fields[1], 1...2),
            let second = number(fields[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static func digits(_ text: Substring.UTF8View, _ count: ClosedRange<Int>) -> Int? {
        count.contains(text.count) && text.allSatisfy(isDigit) ? Int(Substring(text)) : nil
    }

    /// The number at the beginning of `text`, if it has as many digits as `count` allows.
    private static func number(_ text: Substring.UTF8View, digits count: ClosedRange<Int>) -> Int? {
        digits(text.prefix(while: isDigit), count)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}
