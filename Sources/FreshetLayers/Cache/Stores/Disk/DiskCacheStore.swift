public import FreshetCore
import FreshetCrypto
public import FreshetHTTP

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Keeps responses in a folder, which several processes can share.
///
/// A process can be killed at any time: only a complete response is found. A damaged response is a miss. Only their owner can
/// read the files, which contain no token: see `CacheHead`. A body is streamed in and out. When the disk fails, the store stops
/// storing and reports that once. Stored responses are still served.
public final class DiskCacheStore: CacheStore {
    /// In seconds. A response is marked as used at most once in this time.
    private static let markInterval = 60.0

    private struct State: Sendable {
        /// How many bytes were stored since the folder was measured; `nil` before the first time.
        var sinceMeasured: Int?
        var isOff = false
    }

    let folder: CacheFolder
    let maximumSize: Int
    private let scheduler: any SchedulerType
    private let secondsSince1970: @Sendable () -> Double
    private let failed: @Sendable (String) -> Void
    private let state = Locked(State())

    /// Opens a folder, and makes it if it does not exist.
    ///
    /// - Parameters:
    ///   - path: the folder.
    ///   - maximumSize: the size of all files, in bytes. A body of more than a quarter of it is not stored.
    ///   - scheduler: reads and writes files, which blocks. It must not be a loop; use `FreshetRuntime/files`, for example.
    ///   - secondsSince1970: the wall clock that determines the age of files.
    ///   - failed: called once, with a message, when nothing can be stored any more.
    /// - Throws: `HTTPClientError` with code `store` if the folder can't be made, read or written.
    @preconcurrency
    public init(
        at path: String, maximumSize: Int = 256 * 1024 * 1024, scheduler: any SchedulerType,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970,
        failed: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        do throws(FileFailure) {
            folder = try CacheFolder(path)
            let (_, probe) = try folder.newFile()
            unlink(probe)
        } catch {
            throw HTTPClientError(
                .store, phase: .preparing, message: "the cache can't be used: \(error)",
                recoverySuggestion: "choose another folder, or check its permissions", isUnsent: true)
        }
        self.maximumSize = maximumSize
        self.scheduler = scheduler
        self.secondsSince1970 = secondsSince1970
        self.failed = failed
    }

    public func fingerprint(of value: String) -> String { folder.code("value \(value)") }

    public func responses(for key: CacheKey) -> Single<[CachedResponse]> {
        work { [folder] in
            let place = folder.folder(of: key.url)
            let prefix = folder.owner(key.owner) + "."
            let heads = File.names(in: place).filter { $0.hasPrefix(prefix) && $0.hasSuffix(".head") }
            let responses = heads.compactMap { name -> CachedResponse? in
                let id = String(CacheFolder.id(name))
                guard let bytes = CacheHead.content(of: "\(place)/\(name)") else { return nil }
                return CacheHead(bytes, id: id, key: folder.key)?.response
            }
            return responses.sorted { $0.date > $1.date }
        }
    }

    public func body(of response: CachedResponse, for key: CacheKey) -> Observable<[UInt8]> {
        work { [folder, secondsSince1970] in
            let place = folder.folder(of: key.url)
            let name = "\(place)/\(folder.owner(key.owner)).\(response.id).head"
            guard let bytes = CacheHead.content(of: name), let head = CacheHead(bytes, id: response.id, key: folder.key)
            else { throw FileFailure(name, code: ENOENT) }
            let file = try File(opening: "\(place)/\(response.id).body", O_RDONLY)
            var (digest, length) = (BodyDigest(), 0)
            while true {
                let piece = try file.read(BodyDigest.pieceSize)
                if piece.isEmpty { break }
                length += piece.count
                digest.add(piece)
            }
            guard length == head.response.bodyLength, digest.finish() == head.bodyDigest else {
                throw FileFailure(name, code: EINVAL)
            }
            file.rewind()
            Self.markUsed(name, at: secondsSince1970())
            return file
        }.asObservable().flatMap { [scheduler] file in FileBody(file, scheduler).pieces }
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
        work { [self] in
            let place = folder.folder(of: key.url)
            let name = "\(folder.owner(key.owner)).\(response.id).head"
            guard let bytes = CacheHead.content(of: "\(place)/\(name)"),
                var head = CacheHead(bytes, id: response.id, key: folder.key)
            else { return }
            head.response = response
            try write(head, as: name, in: place)
        }
    }

    public func remove(_ response: CachedResponse, for key: CacheKey) -> Single<Void> {
        work { [folder] in
            let place = folder.folder(of: key.url)
            unlink("\(place)/\(folder.owner(key.owner)).\(response.id).head")
            unlink("\(place)/\(response.id).body")
        }
    }

    public func invalidate(_ url: String) -> Single<Void> {
        work { [folder] in
            let place = folder.folder(of: url)
            // The heads are removed first, because a body without a head is never found.
            let names = File.names(in: place).sorted { $0.hasSuffix(".head") && !$1.hasSuffix(".head") }
            for name in names { unlink("\(place)/\(name)") }
        }
    }

    func write(_ head: CacheHead, as name: String, in place: String) throws {
        let (file, path) = try folder.newFile()
        do {
            try file.write(head.encoded(with: folder.key))
            try folder.move(path, to: name, in: place)
        } catch {
            unlink(path)
            throw error
        }
    }

    // MARK: State

    var isOff: Bool { state.withLock { $0.isOff } }

    /// Stops storing, and reports it once.
    func turnOff(after failure: any Error) {
        let isFirst = state.withLock { state in
            defer { state.isOff = true }
            return !state.isOff
        }
        if isFirst { failed("nothing is stored in the cache any more: \(failure)") }
    }

    /// Measures the folder from time to time, because other processes store there too.
    func stored(_ size: Int) {
        let isDue = state.withLock { state in
            let sum = (state.sinceMeasured ?? maximumSize) + size
            state.sinceMeasured = sum > maximumSize / 16 ? 0 : sum
            return sum > maximumSize / 16
        }
        if isDue { folder.shrink(to: maximumSize / 10 * 8, over: maximumSize / 10 * 9, at: secondsSince1970()) }
    }

    private func work<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) -> Single<Value> {
        .create { [scheduler] observer in
            scheduler.schedule(()) {
                observer(SingleEvent { try body() })
                return Disposables.create()
            }
        }
    }
}
