import Foundation

/// Formats figures and bars as text for people. Each figure has its unit and as many digits as are significant.
public enum TextFormat {
    /// Formats a latency in microseconds.
    public static func latency(_ microseconds: Double) -> String {
        switch microseconds {
        case ..<999.5: "\(digits(microseconds)) µs"
        case ..<999_500: "\(digits(microseconds / 1e3)) ms"
        default: "\(digits(microseconds / 1e6)) s"
        }
    }

    public static func seconds(_ seconds: Double) -> String {
        seconds < 1 ? latency(seconds * 1e6) : "\(digits(seconds)) s"
    }

    /// Formats a duration in milliseconds without the unit, with one decimal below 10.
    public static func milliseconds(_ duration: Duration) -> String {
        let value = duration / .milliseconds(1)
        return String(format: value < 10 ? "%.1f" : "%.0f", value)
    }

    public static func bytes(_ count: Int) -> String { bytes(Double(count)) }

    static func bytes(_ count: Double) -> String {
        var value = count
        for unit in ["B", "kB", "MB", "GB"] {
            if value < 999.5 { return unit == "B" ? String(format: "%.0f B", value) : "\(digits(value)) \(unit)" }
            value /= 1000
        }
        return "\(digits(value)) TB"
    }

    /// Formats a count with its noun: 1 error, 12,345 errors.
    public static func count(_ number: Int, _ noun: String) -> String {
        "\(count(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    /// Formats a count with separated thousands: 12,345.
    public static func count(_ number: Int) -> String {
        var digits = Array(String(number))
        var place = digits.count - 3
        while place > (number < 0 ? 1 : 0) {
            digits.insert(",", at: place)
            place -= 3
        }
        return String(digits)
    }

    /// Formats a count that can be large: 38.1k.
    static func short(_ value: Double) -> String {
        switch value {
        case ..<9_999.5: count(Int(value.rounded()))
        case ..<999_500: "\(digits(value / 1e3))k"
        default: "\(digits(value / 1e6))M"
        }
    }

    static func percent(_ fraction: Double) -> String {
        let value = fraction * 100
        // A fraction close to 0 or 1 is shown neither as 0 % nor as 100 %.
        if value > 0, value < 0.01 { return "<0.01 %" }
        if value < 100, value > 99.99 { return ">99.99 %" }
        if value == 0 || value == 100 { return "\(Int(value)) %" }
        return String(format: value < 1 || value > 99 ? "%.2f %%" : "%.1f %%", value)
    }

    /// Formats a number with three digits, or with more if there are more before the point. The file of an earlier run can
    /// contain a number beyond those of integers.
    static func digits(_ value: Double) -> String {
        switch abs(value) {
        case 0: "0"
        case ..<9.995: String(format: "%.2f", value)
        case ..<99.95: String(format: "%.1f", value)
        default: Int(exactly: value.rounded()).map(count) ?? String(format: "%.2e", value)
        }
    }
}
