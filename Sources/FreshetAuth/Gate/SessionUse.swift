public import FreshetCore
public import FreshetHTTP

extension RefreshGate {
    /// Calls `callback` when a logout has emptied the store, with an error of code `loginRequired`. Every use of the session's
    /// credential is over then. A logout through another gate or in another process counts when this gate finds the credential
    /// of a later login in the store, or none. A use that has registered and waits for its credential ends then too, and can begin
    /// again. `callback` is called again at each further logout until the result is disposed of.
    ///
    /// Register before you ask for the credential, and stay registered as long as you use it; otherwise you can miss a logout.
    /// A refused refresh does not end uses under way, because the access token can still work. `callback` is called on the
    /// thread on which the write to the store ended. If another thread disposes of the result at the same time, one more call
    /// can follow.
    @preconcurrency
    public func whenSessionEnds(_ callback: @escaping @Sendable (HTTPClientError) -> Void) -> any Disposable {
        let number = state.withLock { $0.add(callback) }
        return registration(number)
    }

    /// Registers `callback` as `whenSessionEnds(_:)` does, for a caller that already uses the credential `generation`. Calls
    /// `callback` at once if that session is over. A session whose refresh was refused is not over, because its access token
    /// can still work.
    func whenSessionEnds(
        of generation: Int, _ callback: @escaping @Sendable (HTTPClientError) -> Void
    ) -> any Disposable {
        let (number, failure) = state.withLock { ($0.add(callback), $0.endOfSession(of: generation)) }
        if let failure { callback(failure.clientError) }
        return registration(number)
    }

    /// Whether the session of the credential `generation` is known to be over.
    func hasEnded(_ generation: Int) -> Bool { state.withLock { $0.machine.history.hasEnded(generation) } }

    /// The session of a request that begins now, as the number of ends before it; `nil` if a login or a logout is being written,
    /// because that can end the session and is older than the request. A login after a refused refresh continues the session.
    var sessionAtBeginning: Int? { state.withLock { $0.machine.isWriting ? nil : $0.machine.history.endCount } }

    /// Returns the session of a credential; `nil` if it is known to be over.
    func session(of generation: Int) -> Int? {
        state.withLock { $0.machine.history.hasEnded(generation) ? nil : $0.machine.history.endCount }
    }

    /// Whether `session` is known to be over.
    func hasEnded(session: Int) -> Bool { state.withLock { $0.machine.history.endCount != session } }

    /// Returns the current session, and a credential that can be used at once, if there is one. There is no session if `session`,
    /// or the session of `generation`, is known to be over.
    func usable(in session: Int?, after generation: Int?) -> (session: Int?, credential: UsableCredential?) {
        let (current, usable) = state.withLock { state -> (Int?, UsableCredential?) in
            let history = state.machine.history
            if let session, session != history.endCount { return (nil, nil) }
            if let generation, history.hasEnded(generation) { return (nil, nil) }
            return (history.endCount, state.machine.usable(replacing: nil))
        }
        return (current, unexpired(usable))
    }

    private func registration(_ number: Int) -> any Disposable { SessionUse(number: number, gate: self) }
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
        guard let reason = failure?.loginRequired, reason != .refused else { return nil }
        return failure
    }
}
