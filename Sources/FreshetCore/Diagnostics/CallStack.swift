#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where a thread is, as text.
enum CallStack {
    private typealias Frames = UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private typealias Backtrace = @convention(c) (Frames, CInt) -> CInt
    private typealias Symbols = @convention(c) (Frames, CInt) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>>?

    /// The frames of the calling thread, the innermost first, as the C library shows them; none where it can't, as Musl's.
    static var symbols: [String] {
        // Looked up, as Swift's module of the C library does not have them.
        let library = dlopen(nil, RTLD_NOW)
        guard let backtrace = dlsym(library, "backtrace"), let symbols = dlsym(library, "backtrace_symbols") else {
            return []
        }
        return withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 128) { frames in
            guard let frames = frames.baseAddress else { return [] }
            let count = unsafeBitCast(backtrace, to: Backtrace.self)(frames, 128)
            guard let names = unsafeBitCast(symbols, to: Symbols.self)(frames, count) else { return [] }
            defer { free(names) }
            return (0..<Int(count)).map { String(cString: names[$0]) }
        }
    }
}
