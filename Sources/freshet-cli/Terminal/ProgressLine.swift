import Foundation

/// A line on the terminal that is drawn again ten times a second, while there is a terminal.
final class ProgressLine {
    private let timer: (any DispatchSourceTimer)?

    init(_ text: @escaping @Sendable () -> String) {
        guard Console.isTerminal else {
            timer = nil
            return
        }
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + .milliseconds(200), repeating: .milliseconds(100))
        timer.setEventHandler { Console.write("\r" + text() + "\u{1B}[K") }
        timer.resume()
        self.timer = timer
    }

    /// Ends and wipes the line.
    func stop() {
        guard let timer else { return }
        timer.cancel()
        Console.write("\r\u{1B}[K")
    }
}

/// A bar as wide as `width`, filled up to `fraction`.
func bar(_ fraction: Double, width: Int = 30) -> String {
    let filled = Int((min(max(fraction, 0), 1) * Double(width)).rounded())
    return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
}
