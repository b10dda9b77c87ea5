public import FreshetCore
public import FreshetHTTP

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
        let waiter = state.withLock { state in
            let waiter = state.nextNumber()
            state.waiters[waiter] = completion
            return waiter
        }
        send(input(waiter))
        return Disposables.create {
            if self.state.withLock({ $0.waiters.removeValue(forKey: waiter) }) != nil {
                self.send(.left(waiter: waiter))
            }
        }
    }
}

extension RefreshGate {
    /// Calls `callback` when a logout has emptied the store, with an error of code `loginRequired`. Every use of the session's
    /// credential is over then. `callback` is called again at each further logout until the result is disposed of.
    ///
    /// Register before you ask for the credential, and stay registered as long as you use it; otherwise you can miss a logout.
    /// A refused refresh does not end uses under way, because the access token can still work. `callback` is called on the
    /// thread on which the write to the store ended. If another thread disposes of the result at the same time, one more call
    /// can follow.
    @preconcurrency
    public func whenSessionEnds(_ callback: @escaping @Sendable (HTTPClientError) -> Void) -> any Disposable {
        let number = state.withLock { $0.add(callback) }
        return use(number)
    }

    /// Registers `callback` as `whenSessionEnds(_:)` does, for a caller that already uses the credential `generation`. Calls
    /// `callback` at once if that session is over. A session whose refresh was refused is not over, because its access token
    /// can still work.
    func whenSessionEnds(
        of generation: Int, _ callback: @escaping @Sendable (HTTPClientError) -> Void
    ) -> any Disposable {
        let (number, failure) = state.withLock { ($0.add(callback), $0.endOfSession(of: generation)) }
        if let failure { callback(failure.clientError) }
        return use(number)
    }

    private func use(_ number: Int) -> any Disposable { SessionUse(number: number, gate: self) }
}

/// The registration of one callback for the end of the session. Each request has one.
private final class SessionUse: Disposable {
    private let number: Int
    private let gate: RefreshGate

    init(number: Int, gate: RefreshGate) {
        self.number = number
        self.gate = gate
    }

    func dispose() { _ = gate.state.withLock { $0.uses.removeValue(forKey: number) } }
}

extension RefreshGate.State {
    fileprivate mutating func add(_ use: @escaping @Sendable (HTTPClientError) -> Void) -> Int {
        let number = nextNumber()
        uses[number] = use
        return number
    }

    fileprivate func endOfSession(of generation: Int) -> RefreshFailure? {
        let failure: RefreshFailure? =
            if case .over(let ended) = machine.session {
                ended.failure
            } else {
                machine.history.hasEnded(generation) ? .loginRequired(.loggedOut) : nil
            }
        guard case .loginRequired(let reason)? = failure, reason != .refused else { return nil }
        return failure
    }
}
