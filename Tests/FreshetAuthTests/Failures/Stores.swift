import FreshetAuth
import FreshetCore
import FreshetTesting

/// A store that returns its first content to readers without the lock, as a replica that lags does.
final class ReplicatedStore: CredentialStore {
    private let primary: MemoryStore
    private let replica: MemoryStore

    init(_ credential: Credential) {
        primary = MemoryStore(credential)
        replica = MemoryStore(credential)
    }

    func load() -> Single<StoredCredential> { replica.load() }
    func lock() -> Single<any CredentialLease> { primary.lock() }
}

/// A store in memory whose reads and writes take `delay`.
/// Its writes can be made to fail, and ``overwrite(_:)`` writes without the lock, as a program that ignores the lock does.
final class SlowStore: CredentialStore {
    private struct State {
        var record: StoredCredential
        var failures = 0
        var hangs = false
        var writes: [StoredCredential] = []
        var reads = 0
    }

    private let locks: MemoryStore
    private let state: Locked<State>
    private let scheduler: TestScheduler
    private let delay: Duration

    init(_ credential: Credential? = nil, on scheduler: TestScheduler, delay: Duration = .milliseconds(100)) {
        locks = MemoryStore()
        state = Locked(State(record: credential.map { StoredCredential(credential: $0, version: 1) } ?? .empty))
        self.scheduler = scheduler
        self.delay = delay
    }

    /// Makes the next `count` writes fail.
    func failWrites(_ count: Int) { state.withLock { $0.failures = count } }

    /// Makes no write end from now on.
    func hangWrites() { state.withLock { $0.hangs = true } }

    /// Writes `record` without the lock.
    func overwrite(_ record: StoredCredential) { state.withLock { $0.record = record } }

    /// The records that were written, in order, without the failed writes.
    var writes: [StoredCredential] { state.withLock { $0.writes } }
    var record: StoredCredential { state.withLock { $0.record } }

    func load() -> Single<StoredCredential> {
        later { state in state.record }
    }

    func lock() -> Single<any CredentialLease> {
        locks.lock().map { Lease(of: self, holding: $0) }
    }

    fileprivate func save(_ record: StoredCredential) -> Single<Void> {
        if state.withLock({ $0.hangs }) { return .never() }
        return later { state in
            if state.failures > 0 {
                state.failures -= 1
                throw StoreError("the disk is full; make room")
            }
            state.record = record
            state.writes.append(record)
        }
    }

    private func later<Value: Sendable>(_ work: @escaping @Sendable (inout State) throws -> Value) -> Single<Value> {
        .create { [state, scheduler, delay] observer in
            scheduler.scheduleRelative((), dueTime: delay) {
                observer(Result { try state.withLock { try work(&$0) } })
                return Disposables.create()
            }
        }
    }

    private final class Lease: CredentialLease {
        private let store: SlowStore
        private let lock: any CredentialLease

        init(of store: SlowStore, holding lock: any CredentialLease) {
            self.store = store
            self.lock = lock
        }

        func load() -> Single<StoredCredential> { store.load() }
        func save(_ record: StoredCredential) -> Single<Void> { store.save(record) }
        func unlock() { lock.unlock() }
    }
}
