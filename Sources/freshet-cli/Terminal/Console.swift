import Foundation

/// The standard error, written from a queue of its own, so that a terminal that stands still stops nobody.
enum Console {
    private static let queue = DispatchQueue(label: "console")

    /// Whether a line can be drawn again there.
    static let isTerminal = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    static func write(_ text: String) {
        queue.async {
            // Where the complaints would go is what failed; nobody is left to be told.
            try? writeAll(Array(text.utf8), to: STDERR_FILENO)
        }
    }

    static func flush() {
        queue.sync {}
    }
}
