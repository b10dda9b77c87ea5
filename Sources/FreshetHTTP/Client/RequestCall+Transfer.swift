import FreshetCore

// What the transport calls.
extension RequestCall: TransferReceiver {
    func prepare(_ request: inout Request, for step: Int) -> Single<Request>? {
        // Held by the client, and that by this, which the transport holds.
        guard let adapted = withHeld(client.interceptorLinks, { $0.adaptAll(&request) }) else {
            isFinal(&request, step)
            return nil
        }
        return adapted.map { [self] adapted in
            var adapted = adapted
            isFinal(&adapted, step)
            return adapted
        }.catch { [self] error in
            submit(.failed(error, isFinal: true), step)
            return .error(error)
        }
    }

    /// The request is as its adapters have made it, and goes out.
    private func isFinal(_ request: inout Request, _ step: Int) {
        monitored?.announce(&request)
        if !client.hasDefaultTransfer { request.fill(client.configuration.transfer) }
        submit(.adapted(request), step)
    }

    func end(_ failure: (any Error)?, of step: Int) {
        submit(failure.map { .failed($0, isFinal: false) } ?? .ended, step)
    }
}

// Among the requests of its client.
extension RequestCall {
    /// Has still to be begun; `nil` if none may be.
    func firstTransfer(at now: Instant) -> (any DirectTransfer)? {
        guard isCounted else {
            finish(with: HTTPClient.shuttingDown(address, isUnsent: true))
            return nil
        }
        if isLongLived { note() }
        setDeadline(from: now)
        return nextTransfer(machine.start())
    }

    /// Notes that nothing but its subscriber ends it, or for a while nothing at all.
    func note() {
        isNoted = true
        client.activity.note(self)
    }
}

// What interceptors see of it.
extension RequestCall {
    /// Asks the retriers. The transfer stays: what was peeked of it may still be delivered.
    func ask(about attempt: Attempt) {
        if case .response = attempt.outcome { phase = .refreshing }
        let step = step
        pending.add(
            client.decision(about: attempt).subscribe { [self] result in
                let decision: RetryResult =
                    switch result {
                    case .success(let decision): decision
                    case .failure(let error): .doNotRetryWithError(error)
                    }
                submit(.decided(decision), step)
            })
    }

    func tellWatchers(of input: RequestStateMachine.Input) {
        guard case .part(.head(let head)) = input, let request = machine.outgoing else { return }
        for watcher in client.watchers { watcher.received(head, for: request) }
    }

    /// Again, if it was adapted again because it had to wait afterwards.
    func beginWatching(_ request: Request) {
        endWatching()
        withHeld(client.interceptorLinks) { $0.watchAll(RequestInFlight(call: self, step: step), of: request) }
    }

    func endWatching() {
        watches.empty()
        list.take()?.withLock { $0.remove(self) }
    }

    /// Stands in `list` until the attempt is over, if in no other.
    func join(_ list: Locked<Interruptibles>, _ step: Int) -> Bool {
        guard self.list == nil else { return false }
        self.list = list
        list.withLock { $0.add(self, step) }
        return true
    }
}

// Where it is.
extension RequestCall {
    /// - Returns: what the monitor has made of `request`, and who tells it.
    static func watch(
        _ request: Request, by monitor: ClientMonitors, of client: HTTPClient
    ) -> (request: Request, watch: RequestWatch) {
        var request = request
        let watch = RequestWatch(&request, by: monitor, now: client.clock.now)
        return (request, watch)
    }

    /// By the client's clock, which that holds, as it is held here.
    var now: Instant { withHeld(client.clock) { $0.now() } }

    /// It is over, or will be said to be.
    func timings(at now: Instant) -> RequestTimings { clock.end(attempts: machine.attempts, at: now) }

    /// In bytes; a shorter one goes out at once, as far as anybody can tell.
    private static let longBody = 65_536

    func located(_ error: any Error) -> any Error {
        guard var error = error as? HTTPClientError else { return error }
        error.origin = address.origin.description
        error.phase = phase
        return error
    }

    func note(_ event: RequestEvent) {
        switch event {
        case .attempt(_, let request): hasLongBody = request.body.length.map { $0 > Self.longBody } ?? true
        case .phase(let reached): note(reached)
        case .sent(let bytes, let total):
            if bytes == total, phase == .sending { phase = .waiting }
            clock.sendPiece(at: now)
        case .redirect(let status, let url):
            phase = .redirecting
            newAddress = url
            clock.answer(at: now)
            monitored?.redirected(status, to: url)
        case .retry(let delay, let outcome):
            monitored?.retries(after: delay, dueTo: outcome)
        case .head: noteHead()
        default: break
        }
    }

    func note(_ reached: TransferPhase) {
        phase = reached.following(sending: hasLongBody, isSecure: isSecure)
        if isTimed { clock.reach(reached, at: now) }
    }

    func noteHead() {
        phase = .receiving
        if isTimed { clock.deliver(at: now) }
    }
}
