public import FreshetCore
public import FreshetHTTP

extension AuthenticationInterceptor {
    /// Ends the attempt when the session is logged out, and tells those whose answers are long-lived when the credential has
    /// ended by the clock or has been replaced.
    public func watch(_ attempt: RequestInFlight, of request: Request) -> (any Disposable)? {
        guard let entry = request.tags[AppliedCredential.self]?.entry(of: owner) else { return nil }
        let session = gate.whenSessionEnds(of: entry.credential.generation) { attempt.end(with: $0) }
        guard request.transfer?.isLongLived == true else { return session }
        return AttemptCredential(over: attempt, with: entry.credential, gate: gate, session: session)
    }
}

/// Looks after the credential of one attempt. There is one for each stream, so it is kept small.
private final class AttemptCredential: Disposable {
    private let attempt: RequestInFlight
    private let credential: Credential
    private let gate: RefreshGate
    private let session: any Disposable
    /// There if the credential says when it ends.
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

    /// The wall clock may have been set, and the timer's may have stood still: what is left is looked at again. It is waited
    /// for in whole milliseconds, and twice as long as before where that was less than the scheduler knows, which would never
    /// get past it.
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
