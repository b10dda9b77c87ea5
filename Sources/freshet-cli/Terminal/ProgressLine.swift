import Dispatch
import Foundation
import Synchronization

/// A line on the terminal that is drawn again 10 times per second. Without a terminal nothing is drawn.
final class ProgressLine: Sendable {
    private let isStopped = Atomic<Bool>(false)
    private let end = DispatchSemaphore(value: 0)

    /// The bytes that wipe the line. A result on the same terminal begins with them.
    static let wipe: [UInt8] = Console.isTerminal && isatty(STDOUT_FILENO) == 1 ? Array("\r\u{1B}[K".utf8) : []

    init(_ text: @escaping @Sendable () -> String) {
        guard Console.isTerminal, !Console.isSilent else { return }
        Thread.detachNewThread {
            while self.end.wait(timeout: .now() + 0.1) == .timedOut {
                // A line that is wider than the terminal could not be wiped.
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
