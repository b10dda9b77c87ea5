public import FreshetCore
public import FreshetHTTP

/// Hands out one credential to everybody who needs it, and has it refreshed exactly once, however many need that at once.
///
/// It works for any stream: see ``withCredential(isExpired:_:)``, `flatMapRefreshing(with:isExpired:_:)` and
/// `refreshing(with:isExpired:)`. A credential that has ended, or is about to, is refreshed before it is used; one whose
/// use failed is refreshed and the use repeated, unless it has been replaced in the meantime. Of everything written the
/// order is: persisted, then published, then those who waited go on. A waiter that leaves does not disturb the refresh,
/// which runs on even when nobody waits any more.
///
/// Can be used from any thread. Who waits goes on wherever the store's write ended.
public final class RefreshGate: Sendable {
    /// The limits and windows that it was made with.
    public let settings: Settings
    let store: any CredentialStore
    /// Deadlines, looks at the store and revocations run on it, beside the transactions.
    let scheduler: any SchedulerType
    /// Its transactions are all that writes to the store, in their order.
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

    /// A gate over a store whose credentials `refresh` renews.
    ///
    /// - Parameters:
    ///   - store: where the credential is kept; it is written before anybody gets what is written.
    ///   - scheduler: the clock of deadlines and windows; the transactions that read and write the store run
    ///     on it one at a time (see `SerialScheduler.run`).
    ///   - secondsSince1970: the wall clock, which expiry is measured by.
    ///   - settings: limits and windows of refreshing.
    ///   - revoke: tells the server that a credential is not to work any more; see ``Authenticator/revoke(_:)``.
    ///   - refresh: a new credential in exchange for one, or for nothing if the store is empty; see
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
        state = Locked(State(machine: RefreshStateMachine(limits: settings.limits(revokes: revoke != nil))))
        if settings.refreshesWhileIdle { refreshWhileIdle() }
    }

    deinit {
        idleTimer.dispose()
        loginWatch.dispose()
    }

    /// Somebody has to log in: emitted once, and again only after a login. Never ends.
    public var loginRequired: Observable<LoginRequired> { loginRequests.asObservable() }

    /// Emits the demand of each response that demands another login. Never ends.
    public var stepUpRequired: Observable<StepUp> { stepUpReports.asObservable() }

    /// Each refresh, when it is over.
    public var refreshes: Observable<RefreshEvent> { refreshReports.asObservable() }

    /// Each credential that the server was asked to forget, when that is over: at a logout, and when the answer to a refresh
    /// came after a login or a logout.
    public var revocations: Observable<RevocationEvent> { revocationReports.asObservable() }

    /// The credential that was last published, whether it still works or not; `nil` before the first use of the gate
    /// and when the session is over.
    public var current: Credential? {
        state.withLock { state in
            if case .active(let held) = state.machine.session { held.credential } else { nil }
        }
    }

    /// A credential to use now, refreshed before if need be.
    ///
    /// Fails with an `HTTPClientError` of code `loginRequired`, `refreshFailed`, `refreshStorm` or `store`, whose
    /// `underlying` is the refresh's own error.
    ///
    /// - Parameter generation: the credential whose use has failed as one does that has ended; the answer is another.
    public func credential(replacing generation: Int? = nil) -> Single<Credential> {
        .create { observer in
            self.acquire(replacing: generation) { observer($0.mapError { $0.clientError }) }
        }
    }

    /// A new credential, whatever the old one is: one that is asked for after this call. A refresh that is under way is not
    /// its answer, but the next one after it.
    ///
    /// For when something other than the answer to a request says that the old one will not do, such as rights that have
    /// changed. The limits hold for it too. Fails as ``credential(replacing:)`` does; who does not need a new one goes on
    /// with the old one then.
    public func refreshNow() -> Single<Credential> {
        .create { observer in
            self.wait({ observer($0.flatMap(Self.needed).mapError { $0.clientError }) }, as: { .forced(waiter: $0) })
        }
    }

    /// Stores `credential`: persisted, then published.
    ///
    /// It does not wait for a refresh that asks the token server: it takes over the refresh's transaction and lock, and the
    /// late answer is dropped and revoked. If the store can't be written, the refresh goes on. A refresh that is being
    /// written is waited for.
    ///
    /// Runs to its end, also when the subscription is disposed of. Fails with an `HTTPClientError` of code `store`, or
    /// `invalidRequest` if a token holds what no header field can.
    ///
    /// - Parameters:
    ///   - credential: the new credential.
    ///   - revokesReplaced: whether the server is asked to forget the credential that was stored before. ``settled()``
    ///     waits for that.
    public func login(_ credential: Credential, revokesReplaced: Bool = false) -> Single<Credential> {
        guard credential.isSendable else {
            return .error(
                HTTPClientError(
                    .invalidRequest, phase: .preparing,
                    message: "a token is empty or holds other characters than printable ASCII",
                    recoverySuggestion: "give it as it was issued"
                ))
        }
        var credential = credential
        credential.details.loginID = CredentialDetails.newLoginID()
        return write { [credential] in .login(waiter: $0, credential, revokesReplaced: revokesReplaced) }.map {
            [credential] in $0 ?? credential
        }
    }

    /// Empties the store, and asks the server to forget what was stored. A refresh under way is treated as by ``login(_:revokesReplaced:)``.
    ///
    /// Requests that wait fail with `loginRequired`, and so do those that are under way and have asked for it with
    /// ``whenSessionEnds(_:)``. Succeeds when the store is empty and the server has answered, whatever it did, or not within
    /// ``Settings/revocationDeadline``; ``revocations`` tells how that went. Runs to its end, also when the subscription is
    /// disposed of. Fails with an `HTTPClientError` of code `store`; then everything is as before.
    public func logout() -> Single<Void> {
        write { .logout(waiter: $0) }.map { _ in }
    }

    /// Completes as soon as no refresh has been asked for whose answer is not stored or revoked yet, and nothing else is
    /// being written.
    ///
    /// A program that ends before may have spent its refresh token for nothing, or leave a session alive at the server.
    /// Bounded by twice ``Settings/deadline`` and ``Settings/revocationDeadline``.
    public func settled() -> Single<Void> {
        .create { observer in
            let number = self.state.withLock { state -> Int? in
                guard state.machine.isExchanging else { return nil }
                let number = state.nextNumber()
                state.settling[number] = { observer(.success(())) }
                return number
            }
            if number == nil { observer(.success(())) }
            return Disposables.create {
                guard let number else { return }
                self.state.withLock { _ = $0.settling.removeValue(forKey: number) }
            }
        }
    }

    private func write(_ input: @escaping @Sendable (Int) -> RefreshStateMachine.Input) -> Single<Credential?> {
        .create { observer in
            self.wait({ observer($0.mapError { $0.clientError }) }, as: input)
        }
    }
}
