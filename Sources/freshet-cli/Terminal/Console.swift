import Foundation

/// Standard error, written from a queue of its own, so that a terminal that has stopped blocks no other thread.
enum Console {
    private static let queue = DispatchQueue(label: "console")

    /// Whether standard error is a terminal that can draw a line again.
    static let isTerminal = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    static func write(_ text: String) {
        queue.async {
            // Standard error itself has failed, so the failure can't be reported.
            try? writeAll(Array(text.utf8), to: STDERR_FILENO)
        }
    }

    static func flush() {
        queue.sync {}
    }
}
