import FreshetCore
import FreshetHTTP

extension RefreshGate {
    /// Gets a usable credential, and calls `completion` once with it or with the failure. `completion` is not called after the
    /// result is disposed of. A refresh that begins with this call runs in the caller's context.
    ///
    /// - Parameters:
    ///   - generation: the generation of a credential that the caller cannot use; `nil` if the caller can use any.
    ///   - waitsForLogin: whether to wait for a login where the settings allow that.
    func acquire(
        replacing generation: Int?, waitsForLogin: Bool = false,
        _ completion: @escaping @Sendable (Result<Credential, RefreshFailure>) -> Void
    ) -> any Disposable {
        if let usable = usable(replacing: generation) {
            completion(.success(usable.credential))
            return Disposables.create()
        }
        let input: (Int) -> RefreshStateMachine.Input = { .requested(waiter: $0, replacing: generation) }
        guard waitsForLogin, settings.whenLoginIsRequired == .wait else {
            return wait({ outcome, _ in completion(outcome.flatMap(Self.needed)) }, as: input)
        }
        let waiting = SerialDisposable()
        let first = wait(
            { outcome, moment in
                self.waitForLogin(
                    after: outcome.flatMap(Self.needed), at: moment, replacing: generation, in: waiting, completion)
            }, as: input)
        return Disposables.create(first, waiting)
    }

    /// Calls `completion` with `result`, or with the credential of the next login if `result` is that one is required.
    ///
    /// - Parameters:
    ///   - moment: the time of `result`.
    ///   - waiting: disposes of the wait.
    private func waitForLogin(
        after result: Result<Credential, RefreshFailure>, at moment: Moment, replacing generation: Int?,
        in waiting: SerialDisposable, _ completion: @escaping @Sendable (Result<Credential, RefreshFailure>) -> Void
    ) {
        // A request that began before a logout must not continue after it.
        guard case .failure(let failure) = result, let reason = failure.loginRequired, reason != .loggedOut else {
            return completion(result)
        }
        // Its credential is no longer stored, so another process has logged out.
        if reason == .noCredential, generation != nil { return completion(.failure(.loginRequired(.loggedOut))) }
        // The wait can end before it is assigned, and must not replace what follows it.
        let login = SingleAssignmentDisposable()
        waiting.disposable = login
        let wait = waitForLogin(insteadOf: moment.last, since: moment.abandonedLogins) { end in
            switch end {
            case .loggedIn:
                // The server can refuse this login too.
                waiting.disposable = self.acquire(replacing: moment.last?.generation, waitsForLogin: true) { result in
                    completion(result.flatMap { $0.unlessOfAnotherAccount(than: moment.last) })
                }
            case .loggedOut: completion(.failure(.loginRequired(.loggedOut)))
            case .late: completion(.failure(failure))
            }
        }
        login.setDisposable(wait)
    }

    /// Returns a credential that can be used at once, if there is one.
    @inline(__always)
    func usable(replacing generation: Int? = nil) -> UsableCredential? {
        unexpired(state.withLock { $0.machine.usable(replacing: generation) })
    }

    @inline(__always)
    func unexpired(_ usable: UsableCredential?) -> UsableCredential? {
        guard let usable else { return nil }
        // The clocks are not read for a credential without an expiry.
        return usable.isEndless || !usable.until.isReached(at: now) ? usable : nil
    }

    static func needed(_ credential: Credential?) -> Result<Credential, RefreshFailure> {
        credential.map(Result.success) ?? .failure(.loginRequired(.noCredential))
    }

    func wait(
        _ completion: @escaping Completion, as input: (Int) -> RefreshStateMachine.Input
    ) -> any Disposable {
        let number = state.withLock { state -> Int? in
            guard !state.isEnded else { return nil }
            let waiter = state.nextNumber()
            state.waiters[waiter] = completion
            return waiter
        }
        guard let waiter = number else {
            completion(.failure(.ended), Moment())
            return Disposables.create()
        }
        send(input(waiter))
        return Disposables.create {
            if self.state.withLock({ $0.waiters.removeValue(forKey: waiter) }) != nil {
                self.send(.left(waiter: waiter))
            }
        }
    }
}

extension Credential {
    /// A login between the two may have named no account.
    fileprivate func unlessOfAnotherAccount(than old: Credential?) -> Result<Credential, RefreshFailure> {
        if let old, isOfAnotherAccount(than: old) { return .failure(.loginRequired(.loggedOut)) }
        return .success(self)
    }
}
