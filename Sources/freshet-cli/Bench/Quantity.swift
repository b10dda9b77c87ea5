import Foundation

/// Figures with their units, as many digits as mean something.
enum Quantity {
    /// A latency that is given in microseconds.
    static func latency(_ microseconds: Double) -> String {
        switch microseconds {
        case ..<999.5: "\(digits(microseconds)) µs"
        case ..<999_500: "\(digits(microseconds / 1e3)) ms"
        default: "\(digits(microseconds / 1e6)) s"
        }
    }

    static func seconds(_ seconds: Double) -> String {
        seconds < 1 ? latency(seconds * 1e6) : "\(digits(seconds)) s"
    }

    static func bytes(_ count: Int) -> String {
        var value = Double(count)
        for unit in ["B", "kB", "MB", "GB"] {
            if value < 999.5 { return unit == "B" ? "\(count) B" : "\(digits(value)) \(unit)" }
            value /= 1000
        }
        return "\(digits(value)) TB"
    }

    /// A count that may be a large one: 38.1k.
    static func short(_ value: Double) -> String {
        switch value {
        case ..<9_999.5: grouped(Int(value.rounded()))
        case ..<999_500: "\(digits(value / 1e3))k"
        default: "\(digits(value / 1e6))M"
        }
    }

    static func percent(_ fraction: Double) -> String {
        let value = fraction * 100
        // Nearly all, or hardly any, is neither all nor none.
        if value > 0, value < 0.01 { return "<0.01 %" }
        if value < 100, value > 99.99 { return ">99.99 %" }
        if value == 0 || value == 100 { return "\(Int(value)) %" }
        return String(format: value < 1 || value > 99 ? "%.2f %%" : "%.1f %%", value)
    }

    /// Three digits, more where there are more before the point.
    static func digits(_ value: Double) -> String {
        switch abs(value) {
        case 0: "0"
        case ..<9.995: String(format: "%.2f", value)
        case ..<99.95: String(format: "%.1f", value)
        default: grouped(Int(value.rounded()))
        }
    }
}
