import Glibc

/// Reports a programming error of the library's user. It stops the program in a debug build. In other builds it writes
/// the message to standard error and returns.
@usableFromInline
func fatalErrorInDebug(_ message: @autoclosure () -> String, file: StaticString = #file, line: UInt = #line) {
    #if DEBUG
        fatalError(message(), file: file, line: line)
    #else
        var text = Array("\(file):\(line): \(message())\n".utf8)[...]
        while !text.isEmpty {
            let written = text.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if written <= 0 { return }
            text = text.dropFirst(written)
        }
    #endif
}
