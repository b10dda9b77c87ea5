import Glibc

/// A file that is being downloaded. It is written beside its final place, and moved there when it is complete. Its methods
/// block unless they say otherwise.
///
/// A device or a pipe is written directly. A part that is not kept is removed, at the latest when the object is released.
// Unchecked: only one piece of work uses the object at a time.
final class PartialFile: @unchecked Sendable {
    private let named: String
    private let isResumable: Bool
    /// `nil` if other downloads do not share the part.
    private let departure: PartDeparture?
    /// The path of the file that is replaced in the end, after all links.
    private var target = ""
    /// The path of the part; `nil` for a device.
    private var path: String?
    private var descriptor: Int32 = -1
    private(set) var size = 0
    /// Whether a later download can continue the part, or it is that of an earlier one.
    private(set) var isWorthKeeping = false

    init(_ path: String, isResumable: Bool) {
        named = path
        self.isResumable = isResumable
        departure = isResumable ? PartDeparture(from: path) : nil
    }

    deinit { release() }

    /// Calls `body` when no cancelled download of this process has the part any more. It does not block.
    func afterDepartures(_ body: @escaping @Sendable () -> Void) {
        if let departure { departure.afterOthers(body) } else { body() }
    }

    /// Announces that the download is cancelled and will release the file. Any thread can call this, and it does not block.
    func beginDeparture() { departure?.begin() }

    /// The path of a part that a later download can continue.
    var keptPath: String? { isResumable ? path : nil }

    private var recordPath: String? { isResumable ? path.map { $0 + ".info" } : nil }

    /// Opens the part, and returns the point at which an earlier download of `address` ended.
    func openPart(for address: UInt64) throws -> DownloadPlan.Point? {
        try AtomicFile.check(named)
        var status = stat()
        let exists = stat(named, &status) == 0
        target = AtomicFile.target(of: named)
        guard !exists || status.st_mode & S_IFMT == S_IFREG else {
            try openOnce(named, O_WRONLY)
            return nil
        }
        if isResumable {
            // The name of the part can fit into the folder and that of its record not.
            for path in [target + ".part.info", target + ".part"] { try checkReplaceable(path) }
            try checkIsRecord(target + ".part.info")
            try openShared(target + ".part")
        } else {
            let file = try AtomicFile(replacing: named)
            (descriptor, path) = (file.descriptor, file.path)
            return nil
        }
        let point = try leftover(for: address)
        if exists { status.preserve(on: descriptor) }
        return point
    }

    /// Refuses what no download leaves, such as a link, which another user of the folder may have led to a file of this user.
    private func checkReplaceable(_ path: String) throws {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw HTTPClientError.file(named, "written", begun: false) }
            return
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw HTTPClientError.file(path, "replaced", EEXIST, begun: false)
        }
    }

    /// Refuses a record that no download has written. It is removed in the end, and would let the part be overwritten.
    private func checkIsRecord(_ path: String) throws {
        guard let text = Self.beginning(of: path) else {
            // Another download may end at this moment, and remove its record.
            if errno == ENOENT { return }
            throw HTTPClientError.file(path, "read", begun: false)
        }
        guard text.isEmpty || DownloadRecord.isBegun(in: text) else {
            throw HTTPClientError.file(path, "replaced", EEXIST, begun: false)
        }
    }

    private func openOnce(_ path: String, _ flags: Int32) throws {
        repeat {
            descriptor = open(path, flags | O_CLOEXEC, 0o666)
        } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { throw HTTPClientError.file(named, "written", begun: false) }
    }

    /// Opens a part that other downloads may open too, and locks it, so that only this download writes it.
    private func openShared(_ path: String) throws {
        while true {
            try openOnce(path, O_RDWR | O_CREAT | O_NOFOLLOW)
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                close(descriptor)
                descriptor = -1
                throw HTTPClientError.file(named, "written", code, begun: false)
            }
            // The earlier owner of the lock may have moved the part into its place meanwhile.
            var (ours, there) = (stat(), stat())
            if fstat(descriptor, &ours) == 0, lstat(path, &there) == 0, ours.st_ino == there.st_ino,
                ours.st_dev == there.st_dev
            {
                self.path = path
                return
            }
            close(descriptor)
        }
    }

    private func leftover(for address: UInt64) throws -> DownloadPlan.Point? {
        var status = stat()
        guard isResumable, fstat(descriptor, &status) == 0, status.st_size > 0 else { return nil }
        // Bytes that are not of this download stay too, until a response replaces them.
        isWorthKeeping = true
        size = Int(status.st_size)
        guard let recordPath, lstat(recordPath, &status) == 0 else {
            throw HTTPClientError.file(path ?? named, "replaced", EEXIST, begun: false)
        }
        guard let record = readRecord(), record.address == address, size <= record.total ?? .max else { return nil }
        guard lseek(descriptor, 0, SEEK_END) >= 0 else { throw HTTPClientError.file(named, "written") }
        return DownloadPlan.Point(offset: size, record: record)
    }

    /// Starts at the beginning of the file, and keeps `record` beside it; `nil` if the part can't be continued.
    func begin(_ record: DownloadRecord?) throws {
        guard let path else {
            // Bytes that went into a pipe can't be taken back.
            guard size == 0 else { throw HTTPClientError.file(named, "begun anew", ESPIPE) }
            return
        }
        size = 0
        // The part is emptied before the record is written: with a new record, the old bytes would be treated as new ones.
        isWorthKeeping = false
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw HTTPClientError.file(named, "written")
        }
        guard let recordPath else { return }
        // An empty record says that a later download begins anew, and may replace the part.
        guard Self.write(record?.text ?? "", to: recordPath) else { throw HTTPClientError.file(path, "described") }
        isWorthKeeping = true
    }

    /// Moves the complete file into its place.
    ///
    /// - Parameter isDurable: whether the file is on the disk before it is moved, so that a crash of the machine leaves no
    ///   empty file.
    func finish(isDurable: Bool) throws {
        guard let path else { return release() }
        guard !isDurable || fsync(descriptor) == 0, rename(path, target) == 0 else {
            throw HTTPClientError.file(named, "put in its place")
        }
        if let recordPath { unlink(recordPath) }
        self.path = nil
        release()
        if isDurable { syncDirectory() }
    }

    /// Closes the file, and removes it unless a later download can continue it or no response has replaced it.
    func release() {
        if let path, !isWorthKeeping || size == 0 {
            unlink(path)
            if let recordPath { unlink(recordPath) }
        }
        path = nil
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        departure?.end()
    }

    private func syncDirectory() {
        let directory = target.lastIndex(of: "/").map { String(target[...$0]) } ?? "."
        let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

extension PartialFile {
    /// Writes all of `pieces`.
    func write(_ pieces: [[UInt8]]) throws {
        var rest = pieces[...]
        while !rest.isEmpty {
            var vectors: [iovec] = []
            vectors.reserveCapacity(64)
            try gather(rest.prefix(64), &vectors)
            rest = rest.dropFirst(64)
        }
    }

    /// The bytes of an array have an address only within a call, so there is one call per piece.
    private func gather(_ pieces: ArraySlice<[UInt8]>, _ vectors: inout [iovec]) throws {
        guard let first = pieces.first else { return try writeAll(&vectors) }
        try first.withUnsafeBytes { bytes in
            vectors.append(
                iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count))
            try gather(pieces.dropFirst(), &vectors)
        }
    }

    private func writeAll(_ vectors: inout [iovec]) throws {
        var next = 0
        while next < vectors.count {
            let count = vectors.withUnsafeBufferPointer {
                writev(descriptor, $0.baseAddress! + next, Int32($0.count - next))
            }
            if count < 0 {
                switch errno {
                case EINTR: continue
                case EAGAIN:
                    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&entry, 1, -1)
                    continue
                default: throw HTTPClientError.file(named, "written")
                }
            }
            size += count
            var left = count
            while next < vectors.count, left >= vectors[next].iov_len {
                left -= vectors[next].iov_len
                next += 1
            }
            if left > 0 {
                vectors[next].iov_base += left
                vectors[next].iov_len -= left
            }
        }
    }

    private func readRecord() -> DownloadRecord? {
        recordPath.flatMap(Self.beginning).flatMap { DownloadRecord(text: $0) }
    }

    /// The beginning of a file that may be a record; `nil` if it can't be read.
    private static func beginning(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // No record is as long as this.
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        let count = read(descriptor, &bytes, bytes.count)
        return count >= 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    private static func write(_ text: String, to path: String) -> Bool {
        // A new file, because a link may have come into the place of the old one. A kill between the two calls leaves an empty
        // part, which a later download may replace.
        unlink(path)
        guard let file = fopen(path, "wex") else { return false }
        let isWritten = fputs(text, file) >= 0
        return fclose(file) == 0 && isWritten
    }
}
