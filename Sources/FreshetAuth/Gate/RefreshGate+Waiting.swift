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
        guard waitsForLogin, settings.whenLoginIsRequired == .wait else {
            return wait(
                { completion($0.flatMap(Self.needed)) }, as: { .requested(waiter: $0, replacing: generation) })
        }
        return acquireAfterLogin(replacing: generation, completion)
    }

    /// Gets a usable credential as `acquire` does. If that requires a login, waits for one login.
    private func acquireAfterLogin(
        replacing generation: Int?, _ completion: @escaping @Sendable (Result<Credential, RefreshFailure>) -> Void
    ) -> any Disposable {
        let waiting = SerialDisposable()
        let first = acquire(replacing: generation) { result in
            // A request that began before a logout must not continue after it.
            guard case .failure(let failure) = result, let reason = failure.loginRequired, reason != .loggedOut else {
                return completion(result)
            }
            // Its credential is no longer stored, so another process has logged out.
            if reason == .noCredential, generation != nil { return completion(.failure(.loginRequired(.loggedOut))) }
            let replaced = self.state.withLock { $0.machine.lastCredential }
            waiting.disposable = self.waitForLogin(insteadOf: replaced) { end in
                switch end {
                case .loggedIn: waiting.disposable = self.acquire(replacing: replaced?.generation, completion)
                case .loggedOut: completion(.failure(.loginRequired(.loggedOut)))
                case .late: completion(.failure(failure))
                }
            }
        }
        return Disposables.create(first, waiting)
    }

    /// Returns a credential that can be used at once, if there is one.
    @inline(__always)
    func usable(replacing generation: Int? = nil) -> UsableCredential? {
        guard let usable = state.withLock({ $0.machine.usable(replacing: generation) }) else { return nil }
        // The clocks are not read for a credential without an expiry.
        return usable.isEndless || !usable.until.isReached(at: now) ? usable : nil
    }

    static func needed(_ credential: Credential?) -> Result<Credential, RefreshFailure> {
        credential.map(Result.success) ?? .failure(.loginRequired(.noCredential))
    }

    func wait(
        _ completion: @escaping @Sendable (Outcome) -> Void, as input: (Int) -> RefreshStateMachine.Input
    ) -> any Disposable {
        let number = state.withLock { state -> Int? in
            guard !state.isEnded else { return nil }
            let waiter = state.nextNumber()
            state.waiters[waiter] = completion
            return waiter
        }
        guard let waiter = number else {
            completion(.failure(.ended))
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
