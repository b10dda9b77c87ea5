import Glibc

/// The time of day, for people who read a log. No logic of the library depends on it.
enum LocalTime {
    /// Local time as `2026-11-21 04:40:00.123`.
    static var timestamp: String {
        var (now, nanoseconds) = sinceEpoch
        var parts = tm()
        localtime_r(&now, &parts)
        func padded(_ number: Int, to width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let date = [
            padded(Int(parts.tm_year) + 1900, to: 4), padded(Int(parts.tm_mon) + 1), padded(Int(parts.tm_mday)),
        ]
        let time = [padded(Int(parts.tm_hour)), padded(Int(parts.tm_min)), padded(Int(parts.tm_sec))]
        let milliseconds = padded(nanoseconds / 1_000_000, to: 3)
        return "\(date.joined(separator: "-")) \(time.joined(separator: ":")).\(milliseconds)"
    }
    /// Seconds and nanoseconds since 1970, accessed by position instead of by name: the module that the fields of the C
    /// structure belong to depends on the other files of the compilation.
    private static var sinceEpoch: (seconds: time_t, nanoseconds: Int) {
        var now = (seconds: time_t(), nanoseconds: 0)
        withUnsafeMutablePointer(to: &now) { now in
            _ = now.withMemoryRebound(to: timespec.self, capacity: 1) { clock_gettime(CLOCK_REALTIME, $0) }
        }
        return now
    }
}
