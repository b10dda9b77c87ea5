import Foundation

/// The current width in columns of the terminal at `descriptor`; `nil` if it is no terminal, or does not report its width.
func terminalWidth(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
}
