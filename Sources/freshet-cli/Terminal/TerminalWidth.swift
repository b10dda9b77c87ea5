import Foundation

/// The current width in columns of the terminal at `descriptor`; `nil` if it is no terminal, or does not report its width.
func terminalWidth(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
}

/// The width in columns for which results are written: `COLUMNS`, else that of the terminal, else 80. It is from 1 to 10,000.
let outputWidth = min(
    max(ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? terminalWidth(STDOUT_FILENO) ?? 80, 1),
    10_000)
