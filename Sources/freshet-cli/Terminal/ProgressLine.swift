import Dispatch
import Foundation
import Synchronization

/// A line on the terminal that is drawn again ten times a second, while there is a terminal.
final class ProgressLine: Sendable {
    private let isStopped = Atomic<Bool>(false)
    private let end = DispatchSemaphore(value: 0)

    /// What results on a terminal have to begin with while a line is drawn on it.
    static let wipe: [UInt8] = Console.isTerminal && isatty(STDOUT_FILENO) == 1 ? Array("\r\u{1B}[K".utf8) : []

    init(_ text: @escaping @Sendable () -> String) {
        guard Console.isTerminal else { return }
        Thread.detachNewThread {
            while self.end.wait(timeout: .now() + 0.1) == .timedOut {
                // One that is wider than the terminal could not be wiped.
                Console.write("\r" + text().prefix((terminalWidth(STDERR_FILENO) ?? 80) - 1) + "\u{1B}[K")
            }
        }
    }

    /// Ends and wipes the line.
    func stop() {
        guard Console.isTerminal else { return }
        if isStopped.exchange(true, ordering: .acquiringAndReleasing) { return }
        end.signal()
        Console.write("\r\u{1B}[K")
    }
}
