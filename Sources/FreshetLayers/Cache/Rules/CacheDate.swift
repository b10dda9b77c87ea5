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
        let (day, rest) = split(lower)
        let isExact =
            switch rest {
            case ", 00 aaa 0000 00:00:00 aaa": days.contains(day) && lower.hasSuffix("gmt")
            case ", 00-aaa-00 00:00:00 aaa": longDays.contains(day) && lower.hasSuffix("gmt")
            case " aaa 00 00:00:00 0000", " aaa  0 00:00:00 0000": days.contains(day)
            default: false
            }
        guard isExact else { return nil }
        let zone = lower.hasSuffix("gmt") ? "\(text.dropLast(3))GMT" : text
        return HTTPDate.secondsSince1970(zone).map(Double.init)
    }

    /// Returns the first word of `text`, and the shape of what follows it: `a` for each letter, and `0` for each digit. Regular
    /// expressions for this made a hit nearly six times as expensive as a request over the network.
    private static func split(_ text: String) -> (day: String, rest: String) {
        func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
        let day = text.utf8.prefix(while: isLetter)
        let shape = text.utf8.dropFirst(day.count).map { byte in
            switch byte {
            case _ where isLetter(byte): UInt8(ascii: "a")
            case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt8(ascii: "0")
            default: byte
            }
        }
        return (String(Substring(day)), String(decoding: shape, as: UTF8.self))
    }
}
