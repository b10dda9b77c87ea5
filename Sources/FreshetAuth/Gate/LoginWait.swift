import FreshetCore

extension RefreshGate.Settings {
    /// Selects the outcome of a request that needs a login.
    public enum LoginPolicy: Sendable, Hashable {
        /// The request fails with `loginRequired`.
        case fail
        /// The request waits for a login, within the bounds of ``RefreshGate/Settings/loginWait-swift.property``. If the server
        /// refuses to refresh that login too, the request waits for the next one.
        case wait
    }

    /// Bounds the requests that wait for a login.
    public struct LoginWait: Sendable, Hashable {
        /// The largest number of waiting requests. Further requests fail at once.
        public var maximumCount = 100
        /// The longest time that a request waits for one login. The request's own timeout, which is 60 s by default, covers the
        /// wait and can end it sooner.
        public var deadline: Duration = .seconds(120)

        public init() {}
    }
}

/// A request that waits for a login.
struct LoginWaiter: Sendable {
    enum End: Sendable {
        case loggedIn
        /// The session was logged out, or a different account logged in.
        case loggedOut
        case late
    }

    /// The credential that the request cannot use; `nil` if there was none.
    let replaced: Credential?
    /// Whether a refreshed credential of the same login is not enough either.
    let needsAnotherLogin: Bool
    let deadline = SerialDisposable()
    let completion: @Sendable (End) -> Void

    /// Returns how the login of `credential` ends the wait; `nil` if the wait continues.
    func end(with credential: Credential) -> End? {
        guard let replaced else { return .loggedIn }
        if needsAnotherLogin {
            guard credential.details.loginID != replaced.details.loginID else { return nil }
        } else {
            guard credential.generation != replaced.generation else { return nil }
        }
        // A request of one account must never carry the credential of another.
        return credential.isOfAnotherSession(than: replaced) ? .loggedOut : .loggedIn
    }
}

extension RefreshGate {
    /// Fails the requests that wait for a login, because the person has cancelled it. The next request that needs a login
    /// announces again that one is required.
    ///
    /// It can be called while ``loginRequired`` or ``stepUpRequired`` emits: the requests that cause the element fail.
    /// Where a program shuts down, call ``stopWaitingForLogin()``.
    public func abandonLogin() {
        let ends = state.withLock { state in
            state.abandonedLogins += 1
            state.machine.announceAgain()
            return state.endLoginWaits(.late)
        }
        for end in ends { end() }
    }

    /// Fails the requests that wait for a login, and from then on at once each request that needs one, with
    /// `loginRequired`, as with ``Settings/LoginPolicy/fail``. A request whose response demands another login fails with
    /// `stepUpRequired`.
    ///
    /// Call it where a program begins to shut down: a request that begins later would otherwise wait for a login for its
    /// whole timeout. A login still stores its credential, and later requests use that.
    public func stopWaitingForLogin() {
        let ends = state.withLock { state in
            state.waitsForNoLogin = true
            return state.endLoginWaits(.late)
        }
        for end in ends { end() }
    }

    /// Calls `completion` after the next login, after a logout, or when the wait exceeds its limit; at once if too many
    /// requests wait, or if the login was abandoned before this call.
    ///
    /// - Parameters:
    ///   - replaced: the credential that the request cannot use.
    ///   - abandonedLogins: how many logins were abandoned when the request failed.
    ///   - needsAnotherLogin: whether a refreshed credential of the same login is not enough either.
    func waitForLogin(
        insteadOf replaced: Credential?, since abandonedLogins: Int, needsAnotherLogin: Bool = false,
        _ completion: @escaping @Sendable (LoginWaiter.End) -> Void
    ) -> any Disposable {
        let waiter = LoginWaiter(replaced: replaced, needsAnotherLogin: needsAnotherLogin, completion: completion)
        let (end, number, isFirst) = state.withLock { state -> (LoginWaiter.End?, Int, Bool) in
            // A login may have completed since the request failed.
            if let end = state.currentCredential.flatMap(waiter.end(with:)) { return (end, 0, false) }
            guard !state.isEnded, !state.waitsForNoLogin, state.abandonedLogins == abandonedLogins,
                state.loginWaiters.count < settings.loginWait.maximumCount
            else { return (.late, 0, false) }
            let number = state.nextNumber()
            state.loginWaiters[number] = waiter
            defer { state.isWatchingForLogins = true }
            return (nil, number, !state.isWatchingForLogins)
        }
        if let end {
            completion(end)
            return Disposables.create()
        }
        waiter.deadline.disposable = scheduler.scheduleRelative((), dueTime: settings.loginWait.deadline) {
            self.state.withLock { $0.removeLateWaiter(number) }?.completion(.late)
            return Disposables.create()
        }
        if isFirst { watchForLogins() }
        return Disposables.create {
            self.state.withLock { $0.loginWaiters.removeValue(forKey: number) }?.deadline.dispose()
        }
    }

    /// Checks every second whether another process has logged in, as long as a request waits.
    private func watchForLogins() {
        // A later watch can begin while this one ends.
        let watch = SingleAssignmentDisposable()
        loginWatch.disposable = watch
        let looks = scheduler.schedulePeriodic((), startAfter: .seconds(1), period: .seconds(1)) { [weak self] _ in
            guard let self else { return }
            guard let changes = self.state.withLock({ $0.changesWhileWaitingForLogins() }) else {
                return watch.dispose()
            }
            _ = self.store.load().subscribe { result in
                // What was read may be older than a change of the session since.
                guard case .success(let stored) = result, self.state.withLock({ $0.machine.changes == changes })
                else { return }
                self.send(.noticed(stored))
            }
        }
        watch.setDisposable(looks)
    }
}

extension RefreshGate.State {
    var currentCredential: Credential? {
        if case .active(let current) = machine.session, !current.isRejected { current.credential } else { nil }
    }

    /// Returns how often the session has changed; `nil` if no request waits for a login, and then the watch ends.
    fileprivate mutating func changesWhileWaitingForLogins() -> Int? {
        isWatchingForLogins = !loginWaiters.isEmpty
        return isWatchingForLogins ? machine.changes : nil
    }

    /// Removes the waiters that `credential` satisfies. Returns their completions in the order of arrival.
    mutating func endLoginWaits(with credential: Credential) -> [@Sendable () -> Void] {
        removeLoginWaiters { $0.end(with: credential) }
    }

    /// Removes all waiters after a logout. Returns their completions in the order of arrival.
    mutating func endLoginWaits(_ end: LoginWaiter.End = .loggedOut) -> [@Sendable () -> Void] {
        removeLoginWaiters { _ in end }
    }

    private mutating func removeLoginWaiters(_ end: (LoginWaiter) -> LoginWaiter.End?) -> [@Sendable () -> Void] {
        loginWaiters.sorted { $0.key < $1.key }.compactMap { number, waiter in
            guard let end = end(waiter) else { return nil }
            loginWaiters[number] = nil
            return {
                waiter.deadline.dispose()
                waiter.completion(end)
            }
        }
    }

    /// When the last waiter times out, the next request announces again that a login is required.
    mutating func removeLateWaiter(_ number: Int) -> LoginWaiter? {
        let waiter = loginWaiters.removeValue(forKey: number)
        if loginWaiters.isEmpty { machine.announceAgain() }
        return waiter
    }
}
