public import FreshetCore
public import FreshetHTTP

extension AuthenticationInterceptor {
    /// Ends the attempt when the session is logged out. For a long-lived response, also reports the expiry of the credential by
    /// the clock and its replacement.
    public func observe(_ attempt: RequestInFlight, of request: Request) -> (any Disposable)? {
        guard let entry = request.tags[AppliedCredential.self]?.entry(of: owner) else { return nil }
        let session = gate.whenSessionEnds(of: entry.credential.generation) { attempt.end(with: $0.afterTheSession) }
        guard request.transfer?.isLongLived == true else { return session }
        return AttemptCredential(over: attempt, with: entry.credential, gate: gate, session: session)
    }
}

extension HTTPClientError {
    /// The error of a request whose session has ended.
    var afterTheSession: HTTPClientError {
        guard code == .loginRequired else { return self }
        var error = self
        error.underlying = SessionEnded()
        return error
    }
}

/// Observes the credential of one attempt. Each stream has one such object, so it is small.
private final class AttemptCredential: Disposable {
    /// The longest wait before the clocks are read again, because someone can set the wall clock.
    private static let longestWait = Duration.seconds(60)

    private let attempt: RequestInFlight
    private let end: Timestamp
    private let gate: RefreshGate
    private let session: any Disposable
    /// `nil` if the credential has no known expiry.
    private let timer: SerialDisposable?
    private let changes: any Disposable

    init(over attempt: RequestInFlight, with credential: Credential, gate: RefreshGate, session: any Disposable) {
        self.attempt = attempt
        end = gate.end(of: credential)
        self.gate = gate
        self.session = session
        timer = credential.expiresAt.map { _ in SerialDisposable() }
        let known = Locked(credential.generation)
        changes = gate.credentialChanges.subscribe(onNext: { [attempt, gate] _ in
            guard let current = gate.current?.generation else { return }
            let isNew = known.withLock { known in
                defer { known = current }
                return known != current
            }
            if isNew { attempt.report(.replaced) }
        })
        waitForEnd()
    }

    /// Reports the expiry when either clock reaches it. Waits are whole milliseconds. If the scheduler's clock has not advanced
    /// after a wait, the next wait is twice as long: the wait was shorter than the clock's resolution.
    private func waitForEnd(atLeast least: Duration = .milliseconds(1)) {
        guard let timer else { return }
        let start = gate.now
        guard !end.isReached(at: start) else { return attempt.report(.expired) }
        let left = min(end.seconds(after: start), Self.longestWait / .seconds(1))
        let time = max(least, .milliseconds((left * 1000).rounded(.up)))
        // The work can run on another thread before the call returns, and wait again.
        let wait = SingleAssignmentDisposable()
        timer.disposable = wait
        wait.setDisposable(
            gate.scheduler.scheduleRelative((), dueTime: time) { [self] in
                if gate.scheduler.now > start.monotonic { waitForEnd() } else { waitForEnd(atLeast: time * 2) }
                return Disposables.create()
            })
    }

    func dispose() {
        session.dispose()
        timer?.dispose()
        changes.dispose()
    }
}

extension RefreshGate {
    /// Returns when `credential` expires, which is also when requests stop using it.
    fileprivate func end(of credential: Credential) -> Timestamp {
        let now = now
        return state.withLock { state in
            if case .active(let current) = state.machine.session,
                current.credential.generation == credential.generation
            {
                current.life.end
            } else {
                CredentialLifetime(until: credential.expiresAt, from: now, .init(), random: 0).end
            }
        }
    }
}
