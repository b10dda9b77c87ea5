import Freshet

/// The store of a login, which has to know whether the store has its tokens: tokens that are stored must not be revoked, and
/// nobody can use others.
///
/// If a write fails, the record is read under the same lock. If it is the new one, the write has succeeded in spite of the error.
final class LoginStore: CredentialStore {
    private enum Write {
        /// The store does not have the record.
        case absent
        /// The store has the record, or may have it: a write runs, or it is not known how it ended.
        case possible
        /// Nothing is written any more.
        case prevented
    }

    private let store: WaitNotingStore
    private let scheduler: any SchedulerType
    private let write = Locked(Write.absent)

    init(store: any CredentialStore, scheduler: any SchedulerType) {
        self.store = WaitNotingStore(store: store, scheduler: scheduler)
        self.scheduler = scheduler
    }

    /// Returns a gate that logs in to this store and knows how each write ends. The lock is waited for for half a minute. A helper
    /// is read for a minute, writes for two at most, and is read for a minute again.
    func gate(revoke: (@Sendable (Credential) -> Completable)?) -> RefreshGate {
        var settings = RefreshGate.Settings()
        settings.deadline = .seconds(300)
        return RefreshGate(store: self, scheduler: scheduler, settings: settings, revoke: revoke) { _ in .never() }
    }

    var lockName: String? { store.lockName }
    var isPersistent: Bool { store.isPersistent }

    func load() -> Single<StoredCredential> { store.load() }

    func lock() -> Single<any CredentialLease> {
        let name = lockName.map { " \($0)" } ?? ""
        let isHeld = StoreError(
            "the store was not locked within 30 s; another process may hold its lock\(name); try again later, or find out "
                + "who holds the lock")
        return store.lock().map { LoginLease(lease: $0, store: self) }
            .timeout(.seconds(30), other: .error(isHeld), scheduler: scheduler)
    }

    /// Prevents further writes, unless the store can have the record.
    ///
    /// - Returns: whether the store does not have the record, and won't have it.
    func giveUp() -> Bool {
        write.withLock { write in
            if case .possible = write { return false }
            write = .prevented
            return true
        }
    }

    fileprivate func save(_ record: StoredCredential, under lease: any CredentialLease) -> Single<Void> {
        let isPrevented = write.withLock { write in
            if case .prevented = write { return true }
            write = .possible
            return false
        }
        guard !isPrevented else { return .error(StoreError("the login has ended; start it again")) }
        return lease.save(record).catch { error in
            lease.load().map { found in
                guard found.version == record.version, found.credential?.hasTokens(of: record.credential) == true else {
                    self.write.withLock { $0 = .absent }
                    throw error
                }
                Console.report("note: the credential is stored, although: \(error.commandLineMessage)")
            }.catch { reading in
                if (reading as? StoreError)?.isUnreadableRecord == true { self.write.withLock { $0 = .absent } }
                throw error
            }
        }
    }
}

private struct LoginLease: CredentialLease {
    let lease: any CredentialLease
    let store: LoginStore

    func load() -> Single<StoredCredential> { lease.load() }
    func save(_ record: StoredCredential) -> Single<Void> { store.save(record, under: lease) }
    func unlock() { lease.unlock() }
}

extension Credential {
    fileprivate func hasTokens(of other: Credential?) -> Bool {
        accessToken == other?.accessToken && refreshToken == other?.refreshToken
    }
}
