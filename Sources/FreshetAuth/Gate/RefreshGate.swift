public import FreshetCore
public import FreshetHTTP

/// Provides one credential to all callers, and refreshes it exactly once, however many callers need the refresh at the same
/// time.
///
/// It works for any stream: see ``withCredential(isExpired:_:)``, `flatMapRefreshing(with:isExpired:_:)` and
/// `refreshing(with:isExpired:)`. The gate refreshes a credential before use if it has expired or is about to expire. If a use
/// of the credential fails, the gate refreshes the credential, unless it has been replaced in the meantime, and the use is
/// repeated. The gate first persists a new credential, then publishes it, then resumes the waiters. A waiter that cancels does
/// not disturb the refresh, which continues even without waiters.
///
/// After the shutdown of the runtime that has made the gate, what would have to wait fails with code `cancelled`.
///
/// It can be used from any thread. Waiters resume on the thread on which the write to the store ended.
public final class RefreshGate: Sendable {
    /// The limits and windows of the gate.
    public let settings: Settings
    let store: any CredentialStore
    /// Runs deadlines, reads of the store without its lock, and revocations, in parallel to the transactions.
    let scheduler: any SchedulerType
    /// Runs the transactions in their order. Only transactions write to the store.
    let serial: SerialScheduler
    let secondsSince1970: @Sendable () -> Double
    let refresh: @Sendable (Credential?) -> Single<Credential>
    let revoke: (@Sendable (Credential) -> Completable)?

    let state: Locked<State>
    let loginRequests = PublishSubject<LoginRequired>()
    let stepUpReports = PublishSubject<StepUp>()
    let idleTimer = SerialDisposable()
    let loginWatch = SerialDisposable()
    let refreshReports = PublishSubject<RefreshEvent>()
    let revocationReports = PublishSubject<RevocationEvent>()
    /// Emits after each refresh and each login, when another credential can be the current one.
    let credentialChanges = PublishSubject<Void>()

    /// Creates a gate over a store whose credentials `refresh` refreshes.
    ///
    /// - Parameters:
    ///   - store: where the credential is kept. The gate writes the store before any caller receives the credential.
    ///   - scheduler: the clock of deadlines and windows. The transactions that read and write the store run on it one at a
    ///     time (see `SerialScheduler.run`).
    ///   - secondsSince1970: the wall clock that determines expiry.
    ///   - settings: the limits and windows of refreshing.
    ///   - revoke: asks the server to revoke a credential; see ``Authenticator/revoke(_:)``.
    ///   - refresh: gets a new credential in exchange for one, or for nothing if the store is empty; see
    ///     ``Authenticator/refresh(_:)``. It must not block.
    @preconcurrency
    public init(
        store: any CredentialStore, scheduler: any SchedulerType,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970,
        settings: Settings = Settings(), revoke: (@Sendable (Credential) -> Completable)? = nil,
        refresh: @escaping @Sendable (Credential?) -> Single<Credential>
    ) {
        self.store = store
        self.scheduler = scheduler
        serial = SerialScheduler(over: scheduler)
        self.secondsSince1970 = secondsSince1970
        self.settings = settings
        self.refresh = refresh
        self.revoke = revoke
        state = Locked(
            State(
                machine: RefreshStateMachine(settings: settings, revokes: revoke != nil, lockName: store.lockName)))
        if settings.refreshesWhileIdle { refreshWhileIdle() }
    }

    deinit {
        idleTimer.dispose()
        loginWatch.dispose()
    }

    /// Emits when a login is required: once, and again only after a login. Never ends.
    public var loginRequired: Observable<LoginRequired> { loginRequests.asObservable() }

    /// Emits the demand of each response that demands another login. Never ends.
    public var stepUpRequired: Observable<StepUp> { stepUpReports.asObservable() }

    /// Emits each refresh when it ends.
    public var refreshes: Observable<RefreshEvent> { refreshReports.asObservable() }

    /// Emits each revocation when it ends. The gate revokes a credential at a logout, when a login asks to revoke the one that
    /// it replaces, and when a refresh delivers a credential after a login or a logout.
    public var revocations: Observable<RevocationEvent> { revocationReports.asObservable() }

    /// The credential that was last published, even if it no longer works; `nil` before the first use of the gate and when the
    /// session is over.
    public var current: Credential? {
        state.withLock { state in
            if case .active(let current) = state.machine.session { current.credential } else { nil }
        }
    }

    /// Emits a credential that can be used now. The gate refreshes it first if necessary.
    ///
    /// Fails with an `HTTPClientError` of code `loginRequired`, `refreshFailed`, `refreshStorm` or `store`. Its `underlying` is
    /// the error of the refresh.
    ///
    /// - Parameter generation: the generation of the credential whose use failed because it had expired. The result has a
    ///   different one.
    public func credential(replacing generation: Int? = nil) -> Single<Credential> {
        .create { observer in
            self.acquire(replacing: generation) { observer($0.mapError { $0.clientError }) }
        }
    }

    /// Emits a new credential, regardless of the old one. The gate asks for it after this call: a refresh that has already
    /// asked the server does not count, and the next refresh provides the credential.
    ///
    /// Call it when something other than a response says that the old credential is not enough, for example when rights have
    /// changed. The limits of refreshing apply. Fails as ``credential(replacing:)`` does; a caller that can use the old
    /// credential can continue with it after a failure.
    public func refreshNow() -> Single<Credential> {
        .create { observer in
            self.wait(
                { result, _ in observer(result.flatMap(Self.needed).mapError { $0.clientError }) },
                as: { .forced(waiter: $0) })
        }
    }

    /// Completes when each refresh that has asked the server is stored or revoked, and no other write or revocation is under
    /// way. A refreshed credential that could not be written, because the disk was full for example, is written now.
    ///
    /// A program that exits before that can lose its new refresh token, or leave a session alive at the server. The wait takes
    /// at most three times ``Settings/deadline`` for a refresh, twice for each login or logout, and
    /// ``Settings/revocationDeadline``. Fails with code `store` if the refreshed credential cannot be written; the gate keeps it,
    /// and the next call tries again. Fails with code `cancelled` if the runtime is shut down meanwhile.
    public func settled() -> Single<Void> {
        .create { observer in
            if !self.state.withLock({ $0.isEnded }) { self.send(.settling) }
            let (number, end) = self.state.withLock { state -> (Int?, SingleEvent<Void>?) in
                let settled = state.machine.settled
                if case .success? = settled { return (nil, .success(())) }
                guard !state.isEnded else { return (nil, .failure(RefreshFailure.ended.clientError)) }
                if let settled { return (nil, settled.mapError { $0.clientError }) }
                let number = state.nextNumber()
                state.settling[number] = observer
                return (number, nil)
            }
            if let end { observer(end) }
            return Disposables.create {
                guard let number else { return }
                self.state.withLock { _ = $0.settling.removeValue(forKey: number) }
            }
        }
    }
}
