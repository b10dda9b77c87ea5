public import FreshetCore
public import FreshetHTTP

extension AuthenticationInterceptor {
    /// Ends the attempt when the session is logged out. For a long-lived response, also reports the expiry of the credential by
    /// the clock and its replacement.
    public func observe(_ attempt: RequestInFlight, of request: Request) -> (any Disposable)? {
        guard let entry = request.tags[AppliedCredential.self]?.entry(of: owner) else { return nil }
        let session = gate.whenSessionEnds(of: entry.credential.generation) { attempt.end(with: $0) }
        guard request.transfer?.isLongLived == true else { return session }
        return AttemptCredential(over: attempt, with: entry.credential, gate: gate, session: session)
    }
}

/// Observes the credential of one attempt. Each stream has one such object, so it is small.
private final class AttemptCredential: Disposable {
    private let attempt: RequestInFlight
    private let credential: Credential
    private let gate: RefreshGate
    private let session: any Disposable
    /// `nil` if the credential has no known expiry.
    private let timer: SerialDisposable?
    private let refreshes: any Disposable

    init(over attempt: RequestInFlight, with credential: Credential, gate: RefreshGate, session: any Disposable) {
        self.attempt = attempt
        self.credential = credential
        self.gate = gate
        self.session = session
        timer = credential.expiresAt.map { _ in SerialDisposable() }
        let generation = credential.generation
        refreshes = gate.refreshes.subscribe(onNext: { [attempt, gate] _ in
            if let current = gate.current, current.generation != generation { attempt.report(.replaced) }
        })
        waitForEnd()
    }

    /// Reports the expiry when it is reached. Each timer reads the wall clock again, because someone can set the wall clock and
    /// the scheduler's clock can stand still. Waits are whole milliseconds. If the scheduler's clock has not advanced after a
    /// wait, the next wait is twice as long: the wait was shorter than the clock's resolution.
    private func waitForEnd(atLeast least: Duration = .milliseconds(1)) {
        guard let end = credential.expiresAt else { return }
        let left = min(end - gate.secondsSince1970(), 3600)
        guard left > 0 else { return attempt.report(.expired) }
        let time = max(least, .milliseconds((left * 1000).rounded(.up)))
        let start = gate.scheduler.now
        timer?.disposable = gate.scheduler.scheduleRelative((), dueTime: time) { [self] in
            if gate.scheduler.now > start { waitForEnd() } else { waitForEnd(atLeast: time * 2) }
            return Disposables.create()
        }
    }

    func dispose() {
        session.dispose()
        timer?.dispose()
        refreshes.dispose()
    }
}
