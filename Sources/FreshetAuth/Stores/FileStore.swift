public import FreshetCore

/// Keeps a credential in a file that all programs of a user share: a JSON object with `access_token`, `refresh_token`,
/// `expires_at`, `version`, and `login_required` after a refused refresh.
///
/// The file has mode 0600. A write creates a new file, syncs it to the disk, and renames it over the old one. So each reader
/// finds either the old or the new record, including after a crash. A missing file is an empty store, and so is a file without
/// a byte, because a write never leaves one. Any other file that cannot be read or decoded is an error, and stays as it is
/// until a login replaces it, whatever it holds, or somebody deletes it. If the directory vanishes after the store has found a
/// credential in it, as with an unmounted volume, that is an error too, and no new directory is created.
///
/// Writers take an advisory lock (`flock`) on a file beside it, `PATH.lock`, which remains there. If it is removed, the holder of
/// the lock writes no more. The effect of `flock` on a network file system depends on that system: on NFS, Linux turns it into a
/// lock on the server. Symbolic links are followed, so that all names share one lock. After a write, another hard link to the
/// file still has the old content.
///
/// - The directory is created if necessary, for the user alone. A directory that all users can write to is refused unless it is
///   sticky, as `/tmp` is. Members of its group are trusted.
/// - A file of another user is refused, unless that user is root. A file that others can read gets its proper mode with the
///   next write.
/// - If root replaces a user's file in a directory of that user, the file stays the user's.
public final class FileStore: CredentialStore {
    /// The file, or the error of a path that cannot be used.
    private let file: Result<CredentialFile, any Error>
    private let scheduler: any SchedulerType

    /// Creates a store in the file at `path`. Nothing is read or created before the store is used.
    ///
    /// - Parameters:
    ///   - path: the path of the file, which does not have to exist yet. A `~/` at its beginning is the directory of the user.
    ///     The path of another user's directory, such as `~ada/token`, is an error when the store is used.
    ///   - coding: the format of the record in the file.
    ///   - scheduler: runs the blocking calls, and is the clock of the wait for the lock. It must not be a loop.
    public init(path: String, coding: any CredentialCoding = JSONCredentialCoding(), scheduler: any SchedulerType) {
        file = Result { CredentialFile(path: try Self.expandingHome(in: path), coding: coding) }
        self.scheduler = scheduler
    }

    /// The steps of a transaction.
    public enum Step: String, CaseIterable, Sendable {
        case locked, reserved, read, written, synced, renamed, directorySynced, unlocked
    }

    /// Returns this store for tests that crash in the middle of a transaction.
    ///
    /// - Parameter onStep: called after each step, on the thread of the blocking calls and between them. A test ends its
    ///   process there.
    @preconcurrency
    public func observingSteps(_ onStep: @escaping @Sendable (Step) -> Void) -> FileStore {
        let observed = file.map { file in
            var file = file
            file.onStep = onStep
            return file
        }
        return FileStore(observed, scheduler: scheduler)
    }

    private init(_ file: Result<CredentialFile, any Error>, scheduler: any SchedulerType) {
        self.file = file
        self.scheduler = scheduler
    }

    public func load() -> Single<StoredCredential> {
        scheduler.running { [file] in try file.get().load() }
    }

    public func lock() -> Single<any CredentialLease> {
        .create { observer in
            let attempt = SerialDisposable()
            self.tryLock(pausing: .milliseconds(2), attempt, observer)
            return attempt
        }
    }

    /// The path of the lock, beside the file. If the store's path is a link, the lock is beside the file that it leads to.
    public var lockName: String? { (try? file.get())?.lockPath }

    /// Emits the order by the files that the paths lead to. Fails with the error of a path that cannot be used.
    func fileOrder(before other: FileStore) -> Single<MoveOrder> {
        scheduler.running { [file] in
            MoveOrder(try file.get().followingLinks.path, try other.file.get().followingLinks.path)
        }
    }

    /// Polls the lock with growing pauses, because a blocking call could not be cancelled. A gate that waits to refresh finds
    /// another process's result in the file, so polling can be rare.
    private func tryLock(
        pausing pause: Duration, _ attempt: SerialDisposable,
        _ observer: @escaping @Sendable (SingleEvent<any CredentialLease>) -> Void
    ) {
        let waiting = SingleAssignmentDisposable()
        attempt.disposable = waiting
        let work = scheduler.schedule(()) {
            do {
                let file = try self.file.get()
                if let lock = try file.tryLock() {
                    observer(.success(FileLease(lock, self.scheduler)))
                    return Disposables.create()
                }
            } catch {
                observer(.failure(error))
                return Disposables.create()
            }
            return self.scheduler.scheduleRelative((), dueTime: pause) {
                self.tryLock(pausing: min(pause * 2, .milliseconds(64)), attempt, observer)
                return Disposables.create()
            }
        }
        waiting.setDisposable(work)
    }
}

private final class FileLease: CredentialLease {
    private let lock: CredentialFileLock
    private let scheduler: any SchedulerType
    /// Reads and writes in the order of the calls. A save that has begun cannot be cancelled: beside a later one it could replace
    /// the record of the later one.
    private let calls: SerialScheduler

    init(_ lock: CredentialFileLock, _ scheduler: any SchedulerType) {
        self.lock = lock
        self.scheduler = scheduler
        calls = SerialScheduler(over: scheduler)
    }

    func load() -> Single<StoredCredential> {
        calls.running { [lock] in try lock.file.load() }
    }

    func save(_ record: StoredCredential) -> Single<Void> {
        calls.running { [lock] in try lock.replace(with: record) }
    }

    func unlock() {
        // The release blocks, so it runs on the scheduler instead of a loop. A save that runs keeps the lock until it ends.
        _ = scheduler.schedule(lock) { lock in
            lock.release()
            return Disposables.create()
        }
    }
}
