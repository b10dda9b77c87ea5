import FreshetHTTP

/// Reads a date exactly as HTTP writes it. A cache treats any other text as a time in the past, so this type accepts no other
/// form. Source: RFC 9110 section 5.6.7, RFC 9111 section 5.3.
enum CacheDate {
    private static let days: Set = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    private static let longDays: Set = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]

    /// The time in seconds since 1970; `nil` if `text` is not a date.
    static func secondsSince1970(_ text: String) -> Double? {
        let lower = text.lowercased()
        let isExact: Bool =
            if let match = lower.wholeMatch(of: #/([a-z]{3}), \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d gmt/#) {
                days.contains(String(match.1))
            } else if let match = lower.wholeMatch(of: #/([a-z]+), \d\d-[a-z]{3}-\d\d \d\d:\d\d:\d\d gmt/#) {
                longDays.contains(String(match.1))
            } else if let match = lower.wholeMatch(of: #/([a-z]{3}) [a-z]{3} [ \d]\d \d\d:\d\d:\d\d \d{4}/#) {
                days.contains(String(match.1))
            } else {
                false
            }
        guard isExact else { return nil }
        let zone = lower.hasSuffix("gmt") ? "\(text.dropLast(3))GMT" : text
        return HTTPDate.secondsSince1970(zone).map(Double.init)
    }
}
