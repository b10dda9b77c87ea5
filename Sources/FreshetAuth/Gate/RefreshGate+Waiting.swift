public import FreshetCore
public import FreshetHTTP

extension RefreshGate {
    /// Calls `completion` once, unless the result is disposed of before. A refresh that begins with this call runs in the
    /// caller's context.
    ///
    /// - Parameters:
    ///   - generation: the credential that will not do.
    ///   - waitsForLogin: whether it waits for a login where the settings say so.
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

    /// The same; where it takes a login, the login is waited for, once.
    private func acquireAfterLogin(
        replacing generation: Int?, _ completion: @escaping @Sendable (Result<Credential, RefreshFailure>) -> Void
    ) -> any Disposable {
        let waiting = SerialDisposable()
        let first = acquire(replacing: generation) { result in
            // Nothing that was begun before a logout goes on after it.
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

    /// A credential that can be used at once, if there is one.
    @inline(__always)
    func usable(replacing generation: Int? = nil) -> UsableCredential? {
        guard let usable = state.withLock({ $0.machine.usable(replacing: generation) }) else { return nil }
        // Of one that does not end, no clock has to be asked.
        return usable.isEndless || !usable.until.isReached(at: moment) ? usable : nil
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
    /// Calls `told` when a logout has emptied the store, with an error of code `loginRequired`: whatever uses the credential
    /// of the session is over then. More than once, if there are more logouts before the result is disposed of.
    ///
    /// Register before the credential is asked for, and as long as it is used; then no logout is missed. A refresh that was
    /// refused ends nothing that is under way: its access token may work. `told` is called on the thread on which the store's
    /// write ended, and it may be, once, while another thread is disposing of the result.
    @preconcurrency
    public func whenSessionEnds(_ told: @escaping @Sendable (HTTPClientError) -> Void) -> any Disposable {
        let number = state.withLock { $0.add(told) }
        return use(number)
    }

    /// The same for somebody who uses a credential already; called at once if its session is over. A session whose refresh
    /// was refused is not: its access token may work.
    func whenSessionEnds(
        of generation: Int, _ told: @escaping @Sendable (HTTPClientError) -> Void
    ) -> any Disposable {
        let (number, failure) = state.withLock { ($0.add(told), $0.endOfSession(of: generation)) }
        if let failure { told(failure.clientError) }
        return use(number)
    }

    private func use(_ number: Int) -> any Disposable { SessionUse(number: number, gate: self) }
}

/// The place of somebody who hears of the end of the session. There is one for each request.
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
                machine.lineage.hasEnded(generation) ? .loginRequired(.loggedOut) : nil
            }
        guard case .loginRequired(let reason)? = failure, reason != .refused else { return nil }
        return failure
    }
}
