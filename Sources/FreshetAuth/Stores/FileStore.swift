public import FreshetCore

/// Keeps a credential in a file, for all programs of a user that share it: a JSON object with `access_token`,
/// `refresh_token`, `expires_at`, `version`, and `login_required` after a refused refresh.
///
/// The file has mode 0600 and is replaced as a whole, by rename, after the new one has reached the disk: whoever reads,
/// and whatever crashes, there is the old pair or the new one. A missing file is an empty store; one that can't be read or
/// understood is an error.
///
/// Writers take an advisory lock (`flock`) on a file beside it, `PATH.lock`, which stays; if somebody removes it, who holds
/// the lock writes no more. What `flock` does on a network's file system is that system's: on NFS Linux makes it a lock of
/// the server's. A symbolic link is followed, so that all its names share one lock; another hard link keeps what it had.
///
/// - The directory is made if need be, for the user alone. One that everybody may write to is refused, unless it is sticky
///   as `/tmp` is; members of its group are trusted.
/// - A file of another user's is refused (root's is not). One that others may read is as it should be after the next write.
/// - What root writes in the place of a user's file, in a directory of that user, stays the user's.
public final class FileStore: CredentialStore {
    private let file: CredentialFile
    private let scheduler: any SchedulerType

    /// The store in the file at `path`; nothing is read or made before it is used.
    ///
    /// - Parameters:
    ///   - path: the file's; it need not be there yet.
    ///   - coding: the form of the record in the file.
    ///   - scheduler: where the blocking calls run, and the clock of the waiting for the lock. Not a loop.
    public init(path: String, coding: any CredentialCoding = JSONCredentialCoding(), scheduler: any SchedulerType) {
        file = CredentialFile(path: path, coding: coding)
        self.scheduler = scheduler
    }

    /// How far a transaction has come.
    public enum Step: String, CaseIterable, Sendable {
        case locked, reserved, read, written, synced, renamed, directorySynced, unlocked
    }

    /// The same for tests of what a crash leaves behind.
    ///
    /// - Parameters:
    ///   - path: the file's; it need not be there yet.
    ///   - scheduler: where the blocking calls run, and the clock of the waiting for the lock. Not a loop.
    ///   - onStep: told of each step when it is done, where the blocking calls run and in the middle of them: a test ends its
    ///     program there.
    @preconcurrency
    public init(
        path: String, scheduler: any SchedulerType, onStep: @escaping @Sendable (Step) -> Void
    ) {
        file = CredentialFile(path: path, onStep: onStep)
        self.scheduler = scheduler
    }

    public func load() -> Single<StoredCredential> {
        scheduler.running { [file] in try file.load() }
    }

    public func lock() -> Single<any CredentialLease> {
        .create { observer in
            let attempt = SerialDisposable()
            self.tryLock(pausing: .milliseconds(2), attempt, observer)
            return attempt
        }
    }

    /// Asks again and again, less and less often: a call that blocked could not be given up. Who waits to refresh learns
    /// from the file that a sibling has, so the lock can be asked for seldom.
    private func tryLock(
        pausing pause: Duration, _ attempt: SerialDisposable,
        _ observer: @escaping @Sendable (SingleEvent<any CredentialLease>) -> Void
    ) {
        let waiting = SingleAssignmentDisposable()
        attempt.disposable = waiting
        let work = scheduler.schedule(()) {
            do {
                if let lock = try self.file.tryLock() {
                    observer(.success(FileLease(lock, on: self.file, self.scheduler)))
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
    private let file: CredentialFile
    private let scheduler: any SchedulerType

    init(_ lock: CredentialFileLock, on file: CredentialFile, _ scheduler: any SchedulerType) {
        self.lock = lock
        self.file = file
        self.scheduler = scheduler
    }

    func load() -> Single<StoredCredential> {
        scheduler.running { [file] in try file.load() }
    }

    func save(_ record: StoredCredential) -> Single<Void> {
        scheduler.running { [lock] in try lock.replace(with: record) }
    }

    func unlock() {
        // Where no loop waits for it.
        _ = scheduler.schedule(lock) { lock in
            lock.release()
            return Disposables.create()
        }
    }
}

extension SchedulerType {
    /// The result of `work`, which runs here when somebody subscribes.
    fileprivate func running<Result>(_ work: @escaping @Sendable () throws -> Result) -> Single<Result> {
        .create { observer in
            self.schedule(()) {
                observer(SingleEvent { try work() })
                return Disposables.create()
            }
        }
    }
}
