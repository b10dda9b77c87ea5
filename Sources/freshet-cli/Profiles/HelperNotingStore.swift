import Freshet

/// A store in a credential helper. A note on standard error names the helper that takes longer than a moment, because it may
/// wait for a person who unlocks a keyring.
struct HelperNotingStore: CredentialStore {
    let store: any CredentialStore
    /// The name of the program.
    let helper: String
    let scheduler: any SchedulerType

    /// The program that was asked last and has not responded.
    static let awaited = Locked<String?>(nil)

    var lockName: String? { store.lockName }
    var isPersistent: Bool { store.isPersistent }

    func load() -> Single<StoredCredential> { noting(store.load()) }

    func lock() -> Single<any CredentialLease> { store.lock().map { Lease(lease: $0, store: self) } }

    private struct Lease: CredentialLease {
        let lease: any CredentialLease
        let store: HelperNotingStore

        func load() -> Single<StoredCredential> { store.noting(lease.load()) }
        func save(_ record: StoredCredential) -> Single<Void> { store.noting(lease.save(record)) }
        func unlock() { lease.unlock() }
    }

    private func noting<Element>(_ work: Single<Element>) -> Single<Element> {
        .deferred {
            Self.awaited.withLock { $0 = helper }
            let note = scheduler.scheduleRelative((), dueTime: .seconds(1)) {
                Console.report("note: waiting for \(helper)")
                return Disposables.create()
            }
            // A command whose time is up disposes of the work, and names the helper in its error.
            let end = { @Sendable in
                note.dispose()
                Self.awaited.withLock { $0 = nil }
            }
            return work.do(onSuccess: { _ in end() }, onError: { _ in end() }, onDispose: note.dispose)
        }
    }
}
