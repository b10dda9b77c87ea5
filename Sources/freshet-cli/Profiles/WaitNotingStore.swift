import Freshet

/// A store whose lock is waited for with a note on standard error, if another process holds it for longer than a moment.
struct WaitNotingStore: CredentialStore {
    let store: any CredentialStore
    let scheduler: any SchedulerType

    var lockName: String? { store.lockName }
    var isPersistent: Bool { store.isPersistent }

    func load() -> Single<StoredCredential> { store.load() }

    func lock() -> Single<any CredentialLease> { store.lock().notingWaitForStore(on: scheduler) }
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// Notes on standard error that a store is waited for, if there is no result within a moment.
    func notingWaitForStore(on scheduler: any SchedulerType) -> Single<Element> {
        .deferred {
            let note = scheduler.scheduleRelative((), dueTime: .milliseconds(500)) {
                Console.report("note: another process holds the store, as for a refresh; waiting for it")
                return Disposables.create()
            }
            return self.do(onSuccess: { _ in note.dispose() }, onDispose: note.dispose)
        }
    }
}
