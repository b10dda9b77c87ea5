import Glibc

/// An open file. It is closed with its last reference.
final class File: Sendable {
    private let descriptor: Int32
    private let path: String

    /// - Parameter followsLinks: whether `path` can be a symbolic link.
    /// - Throws: ``FileFailure``, also for what is no regular file.
    init(opening path: String, _ flags: Int32, followsLinks: Bool = false) throws(FileFailure) {
        self.path = path
        // Opening a pipe would wait for its other end.
        descriptor = open(path, flags | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW), 0o600)
        guard descriptor >= 0 else { throw FileFailure(path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw FileFailure(path, code: nil)
        }
    }

    deinit { close(descriptor) }

    /// Returns `count` bytes from `offset` on; fewer at the end.
    func read(_ count: Int, at offset: Int) throws(FileFailure) -> [UInt8] {
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let result = pread(descriptor, buffer.baseAddress! + filled, count - filled, off_t(offset + filled))
                if result < 0, errno == EINTR { continue }
                failed = result < 0
                guard result > 0 else { return }
                filled += result
            }
        }
        if failed { throw FileFailure(path) }
        return bytes
    }

    func write(_ bytes: [UInt8]) throws(FileFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress!, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw FileFailure(path)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for a lock that excludes other processes, until ``unlock()``. It does not exclude other threads that use this object.
    ///
    /// - Parameter kind: `LOCK_SH` excludes only writers, and is enough for a file that is only read.
    func lock(_ kind: Int32 = LOCK_EX) throws(FileFailure) {
        while flock(descriptor, kind) != 0 {
            if errno != EINTR { throw FileFailure(path) }
        }
    }

    func unlock() { flock(descriptor, LOCK_UN) }

    /// Lets only the owner read and write the file, where the file system knows modes.
    func makePrivate() { fchmod(descriptor, 0o600) }

    /// Sets where the next bytes are written.
    func seek(to offset: Int) { lseek(descriptor, off_t(offset), SEEK_SET) }

    func truncate(to size: Int) { ftruncate(descriptor, off_t(size)) }

    /// The whole content of a file, up to `limit` bytes.
    static func content(of path: String, limit: Int) throws(FileFailure) -> [UInt8] {
        try File(opening: path, O_RDONLY).content(limit: limit)
    }

    /// The whole content, up to `limit` bytes.
    func content(limit: Int) throws(FileFailure) -> [UInt8] {
        var content: [UInt8] = []
        while content.count < limit {
            let bytes = try read(min(4096, limit - content.count), at: content.count)
            if bytes.isEmpty { break }
            content += bytes
        }
        return content
    }

    var size: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The names in a folder; none if it can't be read.
    static func names(in folder: String) -> [String] { (try? existingNames(in: folder)) ?? [] }

    /// The names in a folder; none if it is missing.
    static func existingNames(in folder: String) throws(FileFailure) -> [String] {
        guard let directory = opendir(folder) else {
            if errno == ENOENT { return [] }
            throw FileFailure(folder)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Makes a folder and those above it.
    static func makeFolder(_ path: String) throws(FileFailure) {
        var end = path.startIndex
        while end != path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            let folder = String(path[..<end])
            if mkdir(folder, 0o700) == 0 || errno == EEXIST { continue }
            // Where nothing can be made, the reason is not that the folder exists.
            let reason = errno
            var status = stat()
            guard stat(folder, &status) == 0 else { throw FileFailure(path, code: reason) }
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}

/// A file can't be read or written.
struct FileFailure: Error, CustomStringConvertible {
    let path: String
    /// The value of `errno`; `nil` if the path names something else than is needed there.
    let code: Int32?
    private let mismatch: String

    init(_ path: String, code: Int32? = errno, mismatch: String = "it is not a regular file") {
        self.path = path
        self.code = code
        self.mismatch = mismatch
    }

    var isMissing: Bool { code == ENOENT }
    /// Whether the process or the machine has too many open files at the moment.
    var isOfOpenFiles: Bool { code == EMFILE || code == ENFILE }
    var isOfFullDisk: Bool { code == ENOSPC || code == EDQUOT }
    var reason: String { code.map { String(cString: strerror($0)) } ?? mismatch }
    var description: String { "\(path): \(reason)" }
}
