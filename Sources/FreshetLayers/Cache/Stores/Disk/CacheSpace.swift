import FreshetCore
import Glibc

/// The space that the files of a cache folder take, counted over all processes that use it.
///
/// Each process adds what it is about to write to a sum in a file, which it locks for that. When the sum is beyond the limit,
/// the folder is measured, and the least recently used responses go. The sum is never too small, as nothing else lowers it.
final class CacheSpace: Sendable {
    private let folder: CacheFolder
    private let limit: Int
    private let file = Locked<File?>(nil)

    /// - Parameter limit: in bytes.
    init(_ folder: CacheFolder, limit: Int) {
        self.folder = folder
        // More than any disk has, and sums of it do not overflow.
        self.limit = min(limit, 1 << 60)
    }

    /// Makes room for `count` bytes more.
    ///
    /// - Parameter now: in seconds since 1970.
    /// - Returns: whether there is room.
    /// - Throws: ``FileFailure``.
    func reserve(_ count: Int, at now: Double) throws -> Bool {
        // A lock of the file excludes other processes, and this one other threads.
        try file.withLock { opened in
            let file = try opened ?? folder.sizeFile()
            opened = file
            try file.lock()
            defer { file.unlock() }
            let text = String(decoding: try file.read(CacheFolderMarks.sizeLength, at: 0), as: UTF8.self)
            // A damaged sum has the folder measured.
            var sum = UInt(text).map { Int(min($0, UInt(limit + 1))) } ?? limit
            if sum + count > limit { sum = folder.shrink(to: limit / 10 * 8 - count, at: now) }
            let isThere = sum + count <= limit
            if isThere { sum += count }
            let digits = String(sum)
            let zeros = String(repeating: "0", count: CacheFolderMarks.sizeLength - digits.count)
            file.seek(to: 0)
            try file.write(Array((zeros + digits).utf8))
            return isThere
        }
    }
}
