#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What to do about a mistake in the program that uses the library: stops it in a debug build; writes the message to
/// standard error in others, and goes on.
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
