/// A date as HTTP writes it, `Sun, 06 Nov 1994 08:49:37 GMT`, or in one of the two obsolete forms,
/// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. Source: RFC 9110 section 5.6.7.
public enum HTTPDate {
    /// The seconds since 1970; `nil` if `text` is not a date.
    public static func secondsSince1970(_ text: String) -> Int? {
        let words = text.split { $0 == " " }
        switch words.count {
        case 6 where words[0].hasSuffix(",") && words[5] == "GMT":
            return secondsSince1970(day: words[1], month: words[2], year: words[3], time: words[4])
        case 4 where words[0].hasSuffix(",") && words[3] == "GMT":
            let date = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard date.count == 3, date[2].utf8.count == 2 else { return nil }
            return secondsSince1970(day: date[0], month: date[1], year: date[2], time: words[2])
        case 5:
            return secondsSince1970(day: words[2], month: words[1], year: words[4], time: words[3])
        default:
            return nil
        }
    }

    private static func secondsSince1970(day: Substring, month: Substring, year: Substring, time: Substring) -> Int? {
        let time = time.split(separator: ":", omittingEmptySubsequences: false).compactMap { Int(digits: $0) }
        guard let day = Int(digits: day), let month = CalendarDay.month(month), let year = Int(digits: year),
            time.count == 3
        else { return nil }
        return CalendarDay.secondsSince1970(
            year: year < 100 ? CalendarDay.year(ofTwoDigits: year) : year, month: month, day: day,
            hour: time[0], minute: time[1], second: time[2])
    }
}

/// Days of the proleptic Gregorian calendar.
enum CalendarDay {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// The month's number, by the first three letters of its English name.
    static func month(_ name: Substring) -> Int? {
        months.firstIndex(of: name.prefix(3).lowercased()).map { $0 + 1 }
    }

    /// Source: RFC 6265 section 5.1.1. It also agrees with RFC 9110's rule of fifty years, until 2020 and from now to 2069.
    static func year(ofTwoDigits year: Int) -> Int { year + (year >= 70 ? 1900 : 2000) }

    /// The seconds since 1970 at a date and time in UTC; `nil` if there is no such date. A leap second counts as the second
    /// after it.
    static func secondsSince1970(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Int? {
        guard (1601...9999).contains(year), (1...12).contains(month), (0..<24).contains(hour),
            (0..<60).contains(minute), (0...60).contains(second)
        else { return nil }
        let first = daysSince1970(year, month, 1)
        let next = month == 12 ? daysSince1970(year + 1, 1, 1) : daysSince1970(year, month + 1, 1)
        guard (1...next - first).contains(day) else { return nil }
        return (first + day - 1) * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// The date of a day since 1970, in UTC. Source: the inverse of the count below.
    static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// Counts in years that begin in March, so that a leap day is the last day of its year.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
