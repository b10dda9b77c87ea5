import FreshetCore
import Glibc

extension RequestBody {
    /// A file, or a part of it. The file is read from disk while it is sent: never on the loop, and never as a whole into
    /// memory.
    ///
    /// The size is read before each attempt, and announced. A file that grows after that is sent up to this size, and a file that
    /// shrinks fails. A file that can't be read fails with `invalidRequest` before anything is sent. A pipe or a device is read to
    /// its end, once. A file of the kernel, as in `/proc`, has no length either, and is read to its end each time.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - range: the bytes to send; bytes beyond the file's end are an error.
    ///   - contentType: the `Content-Type` of the request, if its headers name none.
    public static func file(_ path: String, range: Range<Int>? = nil, contentType: String? = nil) -> RequestBody {
        .source(fileSource(path, range, contentType))
    }

    private static func fileSource(_ path: String, _ given: Range<Int>?, _ contentType: String?) -> RequestBodySource {
        var status = stat()
        // A missing file is reported when the body is sent.
        let isThere = stat(path, &status) == 0
        let isRegular = isThere && status.st_mode & S_IFMT == S_IFREG
        let range = given ?? (isRegular && status.hasSize(at: path) ? 0..<Int(status.st_size) : nil)
        return RequestBodySource(
            contents: .file(path, range: given), length: range?.count, isReplayable: isRegular || !isThere,
            contentType: contentType,
            check: {
                try OpenFile.check(path, for: given)
                let now = fileSource(path, given, contentType)
                return now.length == range?.count ? nil : now
            },
            open: { scheduler in
                .trusted(parameters: path) { FileReading($0, range: range, on: scheduler, for: $1) }
            })
    }
}

extension stat {
    /// Whether the size is that of the content. The kernel's own file systems, such as procfs and sysfs, have no blocks, and
    /// state 0 or a page for any file.
    fileprivate func hasSize(at path: String) -> Bool {
        var system = statvfs()
        return st_blocks > 0 || statvfs(path, &system) != 0 || system.f_blocks > 0
    }
}

// The system's function under another name, because the method `read` would hide it.
private let systemRead: @Sendable (Int32, UnsafeMutableRawPointer?, Int) -> Int = { read($0, $1, $2) }

/// A file's descriptor, which is closed when the value's last owner gives it up.
struct OpenFile: ~Copyable {
    private let descriptor: Int32
    private let path: String

    init(_ path: String) throws {
        self.path = path
        try Self.checkName(path)
        let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY
        // Without the last flag, a named pipe would block here until it has a writer.
        var descriptor = open(path, flags | O_NONBLOCK)
        // Another process has a lease of the file, and gives it back now.
        if descriptor < 0, errno == EWOULDBLOCK { descriptor = open(path, flags) }
        guard descriptor >= 0 else { throw Self.unreadable(path, errno) }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Reads the next bytes at `offset`, or at the current position of a pipe. Returns no bytes at the end, and `nil` if a pipe
    /// has none for a moment, so that the caller can give up.
    func read(at offset: Int?, atMost count: Int) throws -> [UInt8]? {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // A pipe is not ready before it has had a writer, while a read would take that for its end.
        let readyCount = poll(&entry, 1, 100)
        if readyCount == 0 || (readyCount < 0 && errno == EINTR) { return nil }
        var failure: Int32 = 0
        let piece = [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
            let result =
                offset.map { pread(descriptor, buffer.baseAddress, count, off_t($0)) }
                ?? systemRead(descriptor, buffer.baseAddress, count)
            if result < 0 { failure = errno } else { size = result }
        }
        switch failure {
        case 0: return piece
        case EINTR: return nil
        case EAGAIN:
            // Some devices call themselves ready and have nothing.
            poll(nil, 0, 100)
            return nil
        default: throw Self.unreadable(path, failure)
        }
    }

    /// Checks that the file can be read and has the bytes of `range`. A pipe is not opened, because that would take from its
    /// reader.
    static func check(_ path: String, for range: Range<Int>?) throws {
        try checkName(path)
        var status = stat()
        guard stat(path, &status) == 0 else { throw unreadable(path, errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw unreadable(path, EISDIR) }
        guard access(path, R_OK) == 0 else { throw unreadable(path, errno) }
        guard let range, status.st_mode & S_IFMT == S_IFREG, range.upperBound > Int(status.st_size) else { return }
        throw RequestBodySource.failure(
            "the file \(path) of the body is shorter than what is to be sent of it", "see its size")
    }

    /// The system would take a NUL for the end of the path, and read another file.
    private static func checkName(_ path: String) throws {
        if path.utf8.contains(0) { throw unreadable(path, EINVAL) }
    }

    private static func unreadable(_ path: String, _ number: Int32) -> HTTPClientError {
        let error = FileError(number)
        var failure = RequestBodySource.failure(
            "the file \(path) of the body can't be read (\(error))",
            error.isOfOpenFiles ? .closeOtherFiles : "check its path and its mode")
        if error.isOfOpenFiles { failure.code = .overloaded }
        return failure
    }
}
