import CFreshetSystem
import Glibc

/// The call stack of a thread as text.
enum CallStack {
    /// The frames of the calling thread, innermost first, as the C library describes them.
    static var symbols: [String] {
        withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 128) { frames in
            guard let frames = frames.baseAddress else { return [] }
            let count = backtrace(frames, 128)
            guard let names = backtrace_symbols(frames, count) else { return [] }
            defer { free(names) }
            return (0..<Int(count)).compactMap { names[$0].map { String(cString: $0) } }
        }
    }
}
