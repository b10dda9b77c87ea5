import Foundation
import Freshet

/// The error number of a failed system call, and the system's text for it.
struct SystemError: Error, CustomStringConvertible {
    let code: Int32

    init(_ code: Int32 = errno) {
        self.code = code
    }

    var description: String { String(cString: strerror(code)) }
}

/// Reads all bytes of a file, or of standard input for `-`.
///
/// - Parameter limit: the most bytes that the file may have, because a device or a pipe can have no end.
/// - Throws: ``SystemError``, for a longer file with `EFBIG`.
func readAll(from path: String, limit: Int = .max) throws -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError() }
    defer { if path != "-" { close(descriptor) } }
    var bytes: [UInt8] = []
    while true {
        let piece = try read(upTo: 64 * 1024, from: descriptor)
        if piece.isEmpty { return bytes }
        if bytes.count + piece.count > limit { throw SystemError(EFBIG) }
        bytes += piece
    }
}

/// The most bytes of a file that the command reads for itself, such as its configuration.
let longestOwnFile = 64 * 1024 * 1024

/// The size in bytes of an open regular file; `nil` for anything else.
func sizeOfFile(_ descriptor: Int32) -> Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
}

/// Reads the next bytes, and blocks until there are some. The result is empty at the end.
func read(upTo count: Int, from descriptor: Int32) throws -> [UInt8] {
    while true {
        var failure: Int32 = 0
        let piece = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let result = read(descriptor, buffer.baseAddress, count)
            if result < 0 { failure = errno } else { filled = result }
        }
        if failure == 0 { return piece }
        try wait(for: Int16(POLLIN), of: descriptor, after: failure)
    }
}

/// Writes all of `bytes`, and blocks as long as that takes.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws {
    var written = 0
    while written < bytes.count {
        let result = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + written, bytes.count - written) }
        if result >= 0 { written += result } else { try wait(for: Int16(POLLOUT), of: descriptor, after: errno) }
    }
}

/// Waits until `descriptor` is ready, if it is non-blocking: the process at the other end of a pipe may have made it so.
private func wait(for events: Int16, of descriptor: Int32, after failure: Int32) throws {
    switch failure {
    case EINTR: break
    case EAGAIN:
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        poll(&entry, 1, -1)
    default: throw SystemError(failure)
    }
}

extension HTTPClientError.RecoverySuggestion {
    /// The user may not read a file. The words are the library's about the file of a body.
    static let checkMode: Self = "check its path and its mode"
}
