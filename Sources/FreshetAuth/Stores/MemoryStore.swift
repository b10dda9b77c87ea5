public import FreshetCore

/// Keeps a credential in memory until the program ends. Several gates can share one store.
public final class MemoryStore: CredentialStore {
    private struct State {
        var record: StoredCredential
        var holder: Int?
        var waiting: [(ticket: Int, acquire: @Sendable () -> Void)] = []
        var lastTicket = 0
    }

    private let state: Locked<State>

    /// Makes a store that contains `credential`. Without a ``CredentialDetails/loginID``, as a login sets it, the responses of this
    /// credential are neither cached nor shared.
    public init(_ credential: Credential? = nil) {
        state = Locked(State(record: credential.map { StoredCredential(credential: $0, version: 1) } ?? .empty))
    }

    public var isPersistent: Bool { false }

    public func load() -> Single<StoredCredential> {
        .create { [state] observer in
            observer(.success(state.withLock { $0.record }))
            return Disposables.create()
        }
    }

    public func lock() -> Single<any CredentialLease> {
        .create { observer in
            let (ticket, isFree) = self.state.withLock { state -> (Int, Bool) in
                state.lastTicket += 1
                let ticket = state.lastTicket
                guard state.holder != nil else {
                    state.holder = ticket
                    return (ticket, true)
                }
                state.waiting.append((ticket, { observer(.success(Lease(ticket, of: self))) }))
                return (ticket, false)
            }
            if isFree { observer(.success(Lease(ticket, of: self))) }
            return Disposables.create {
                self.state.withLock { $0.waiting.removeAll { $0.ticket == ticket } }
            }
        }
    }

    fileprivate func save(_ record: StoredCredential, as ticket: Int) throws {
        guard record.credential?.isSendable ?? true else { throw StoreError.unsendable }
        let isHolder = state.withLock { state in
            if state.holder == ticket { state.record = record }
            return state.holder == ticket
        }
        guard isHolder else { throw StoreError.lockGivenBack }
    }

    fileprivate func release(_ ticket: Int) {
        let next = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.holder == ticket else { return nil }
            let next = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            state.holder = next?.ticket
            return next?.acquire
        }
        next?()
    }
}

private final class Lease: CredentialLease {
    private let ticket: Int
    private let store: MemoryStore

    init(_ ticket: Int, of store: MemoryStore) {
        self.ticket = ticket
        self.store = store
    }

    deinit { unlock() }

    func load() -> Single<StoredCredential> { store.load() }

    func save(_ record: StoredCredential) -> Single<Void> {
        .create { [store, ticket] observer in
            observer(SingleEvent { try store.save(record, as: ticket) })
            return Disposables.create()
        }
    }

    func unlock() {
        store.release(ticket)
    }
}
