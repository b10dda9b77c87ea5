import Dispatch
import Foundation
import Freshet

/// A line on the terminal that is drawn again 10 times per second. Without a terminal nothing is drawn.
final class ProgressLine: Sendable {
    /// Held while a line is drawn, so that none is drawn after the line was wiped.
    private let isStopped = Locked(false)
    private let end = DispatchSemaphore(value: 0)

    /// The bytes that wipe the line. A result of `run` on the same terminal begins with them.
    static let wipe: [UInt8] =
        Console.isTerminal && isatty(STDOUT_FILENO) == 1 && !inputIsTyped ? Array("\r\u{1B}[K".utf8) : []

    /// Whether standard input is a terminal. While a command reads it, a line would be drawn over what is typed.
    static let inputIsTyped = isatty(STDIN_FILENO) == 1

    /// - Parameter text: returns the line for a number of columns.
    init(_ text: @escaping @Sendable (Int) -> String) {
        guard Console.isTerminal, !Console.isSilent else { return }
        Thread.detachNewThread {
            while self.end.wait(timeout: .now() + 0.1) == .timedOut {
                // A line that is wider than the terminal could not be wiped.
                let width = (terminalWidth(STDERR_FILENO) ?? 80) - 1
                let line = String(text(width).prefix(width))
                self.isStopped.withLock { if !$0 { Console.draw(line) } }
            }
        }
    }

    /// Ends and wipes the line.
    func stop() {
        guard Console.isTerminal, !Console.isSilent else { return }
        isStopped.withLock { $0 = true }
        Console.write("")
        // What is written next, perhaps to the other descriptor of the same terminal, stands after the wiped line.
        Console.flush()
        end.signal()
    }
}
