/// Formats round numbers for the labels of an axis.
extension TextFormat {
    static func axis(_ value: Double, unit: String = "") -> String {
        func plain(_ value: Double) -> String {
            let rounded = (value * 1000).rounded() / 1000
            return Int(exactly: rounded).map(count) ?? "\(rounded)"
        }
        let number = value >= 1e6 ? plain(value / 1e6) + "M" : value >= 1e4 ? plain(value / 1e3) + "k" : plain(value)
        return unit.isEmpty ? number : "\(number) \(unit)"
    }

    /// Formats a latency in microseconds.
    static func latencyMark(_ microseconds: Double) -> String {
        switch microseconds {
        case ..<999: axis(microseconds, unit: "µs")
        case ..<999_000: axis(microseconds / 1e3, unit: "ms")
        default: axis(microseconds / 1e6, unit: "s")
        }
    }

    static func timeMark(_ seconds: Double) -> String {
        seconds == 0 ? "0" : latencyMark(seconds * 1e6)
    }
}
