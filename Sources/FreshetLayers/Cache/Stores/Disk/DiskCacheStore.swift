public import FreshetCore
import FreshetCrypto
public import FreshetHTTP
import Glibc

/// Keeps responses in a folder, which several processes can share.
///
/// A process can be killed at any time: only a complete response is found. A damaged response is a miss. Only their owner can
/// read the files, which contain no token: see `CacheHead`. A body is streamed in and out. When the disk fails, the store stops
/// storing and reports that once. Stored responses are still served.
public final class DiskCacheStore: CacheStore {
    /// In seconds. A response is marked as used at most once in this time.
    private static let markInterval = 60.0

    /// The folder, and the space in it.
    private struct Opened: Sendable {
        let folder: CacheFolder
        let space: CacheSpace

        init(_ folder: CacheFolder, maximumSize: Int) {
            self.folder = folder
            space = CacheSpace(folder, limit: maximumSize)
        }
    }

    let maximumSize: Int
    private let opened: Locked<Opened>
    private let scheduler: any SchedulerType
    private let secondsSince1970: @Sendable () -> Double
    private let failed: @Sendable (String) -> Void
    private let hasFailed = Locked(false)

    /// Opens a folder, and makes it if it does not exist. An existing folder keeps its mode.
    ///
    /// - Parameters:
    ///   - path: the folder.
    ///   - maximumSize: the size of all files, in bytes. A body of more than a quarter of it is not stored.
    ///   - scheduler: reads and writes files, which blocks. It must not be a loop; use `FreshetRuntime/files`, for example.
    ///   - secondsSince1970: the wall clock that determines the age of files.
    ///   - failed: called once, with a message, when nothing can be stored any more.
    /// - Throws: `HTTPClientError` with code `store` if the folder can't be made, read or written, or if `key`, `size` or
    ///   `new` in it is not that of a cache.
    @preconcurrency
    public init(
        at path: String, maximumSize: Int = 256 * 1024 * 1024, scheduler: any SchedulerType,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970,
        failed: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        do throws(FileFailure) {
            let folder = try CacheFolder(path)
            try folder.checkIsWritable()
            opened = Locked(Opened(folder, maximumSize: maximumSize))
        } catch {
            throw HTTPClientError(
                .store, phase: .preparing, message: "the cache can't be used: \(error)",
                recoverySuggestion: "choose another folder, or check its permissions", isUnsent: true)
        }
        self.maximumSize = maximumSize
        self.scheduler = scheduler
        self.secondsSince1970 = secondsSince1970
        self.failed = failed
        // What other processes have stored can be more.
        _ = try? reserve(0)
    }

    public func fingerprint(of value: String) -> String { folder.fingerprint(of: value) }

    public func responses(for key: CacheKey) -> StoredResponses {
        .waiting(
            work { folder in
                let entries = CacheEntries(of: key, in: folder)
                return entries.ids.compactMap(entries.response).sorted { $0.isNewer(than: $1) }
            })
    }

    public func body(of response: CachedResponse, for key: CacheKey) -> Observable<[UInt8]> {
        work { [secondsSince1970] folder in
            let body = SealedBody(id: response.id, key: folder.key)
            let entries = CacheEntries(of: key, in: folder)
            let path = entries.bodyPath(response.id)
            let file = try File(opening: path, O_RDONLY)
            guard try body.check(file) == response.bodyLength else { throw FileFailure(path, code: EINVAL) }
            Self.markUsed(entries.headPath(response.id), at: secondsSince1970())
            return (file, body)
        }.asObservable().flatMap { [scheduler] file, body in
            // Each piece is read on the scheduler, where reading may block, and none during a pause.
            Observable.generate(initialState: 0, condition: { _ in true }, scheduler: scheduler, iterate: { $0 + 1 })
                .map { try body.piece(at: $0, of: file) }
                .take(while: { !$0.isEmpty })
        }
    }

    private static func markUsed(_ path: String, at now: Double) {
        var status = stat()
        guard stat(path, &status) == 0, now - Double(status.st_mtim.tv_sec) > markInterval else { return }
        var times = [timespec(tv_sec: Int(now), tv_nsec: 0), timespec(tv_sec: Int(now), tv_nsec: 0)]
        utimensat(AT_FDCWD, path, &times, 0)
    }

    public func writer(of response: CachedResponse, for key: CacheKey) -> any CacheWriter {
        DiskCacheWriter(response, key, self, SerialScheduler(over: scheduler))
    }

    public func update(_ response: CachedResponse, for key: CacheKey) -> Single<Void> {
        work { [self] folder in
            let entries = CacheEntries(of: key, in: folder)
            // Another process may have removed it.
            guard access(entries.headPath(response.id), F_OK) == 0 else { return }
            if try !write(response, to: entries) { entries.remove(response.id) }
        }
    }

    public func remove(_ response: CachedResponse, for key: CacheKey) -> Single<Void> {
        work { CacheEntries(of: key, in: $0).remove(response.id) }
    }

    public func invalidate(_ url: RequestURL) -> Single<Void> {
        work { folder in
            let place = folder.folder(of: url)
            // The heads are removed first, because a body without a head is never found.
            let names = File.names(in: place).sorted { $0.hasSuffix(".head") && !$1.hasSuffix(".head") }
            for name in names { unlink("\(place)/\(name)") }
        }
    }

    /// Writes a head. A validation can have enlarged it.
    ///
    /// - Returns: whether there was room.
    func write(_ response: CachedResponse, to entries: CacheEntries) throws -> Bool {
        let head = try CacheHead.encoded(response, with: entries.folder.key)
        guard try reserve(head.count) else { return false }
        let (file, path) = try entries.folder.newFile()
        do {
            try file.write(head)
            try entries.addHead(path, response.id)
            return true
        } catch {
            unlink(path)
            throw error
        }
    }

    // MARK: State

    var folder: CacheFolder { opened.withLock { $0.folder } }

    /// The folder as it is now. If it was removed, another process may have made it anew, with another key.
    private func currentFolder() -> CacheFolder {
        let folder = folder
        // A full disk holds no new key.
        guard !folder.hasItsKey, let current = try? CacheFolder(folder.path), current.hasItsKey else { return folder }
        opened.withLock { $0 = Opened(current, maximumSize: maximumSize) }
        return current
    }

    var isOff: Bool { hasFailed.withLock { $0 } }

    /// Stops storing, and reports it once.
    func turnOff(after failure: any Error) {
        let isFirst = hasFailed.withLock { hasFailed in
            defer { hasFailed = true }
            return !hasFailed
        }
        if isFirst { failed("nothing is stored in the cache any more: \(failure)") }
    }

    /// Measures the folder from time to time, because other processes store there too.
    func reserve(_ count: Int) throws -> Bool {
        try opened.withLock { $0.space }.reserve(count, at: secondsSince1970())
    }

    private func work<Value: Sendable>(_ body: @escaping @Sendable (CacheFolder) throws -> Value) -> Single<Value> {
        .create { [self] observer in
            scheduler.schedule(()) { [self] in
                observer(SingleEvent { try body(currentFolder()) })
                return Disposables.create()
            }
        }
    }
}
