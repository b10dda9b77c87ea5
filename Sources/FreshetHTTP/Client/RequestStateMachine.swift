import HTTPTypes

/// The life of one request as a value: inputs go in, and actions come out. It has no clock, no stream and no thread.
struct RequestStateMachine {
    enum State {
        case idle
        /// A transfer is running, and has delivered nothing yet.
        case queued
        /// The request is being sent, and the head of its response has not arrived.
        case sent
        /// The machine keeps the beginning of the response in ``peeked``, until the retriers have enough.
        case peeking
        /// The retriers decide about this outcome.
        case deciding(Attempt.Outcome)
        /// The request waits for its next attempt after this outcome.
        case waiting(Attempt.Outcome)
        case delivering
        /// The response is a redirect. The rest of it is read, so that its connection can be used again.
        case redirecting(to: Request, discarded: Int)
        case finished
    }

    private(set) var state = State.idle
    private(set) var attempts = 0
    /// The number of attempts that have ended, including those that were refused before anything was sent.
    private var outcomes = 0
    /// The number of the current transfer or delay. Inputs from earlier ones are stale.
    private(set) var step = 0
    /// How far the request has come, for errors.
    private(set) var phase = HTTPClientError.Phase.preparing
    private var redirects: RedirectPolicy
    /// Whether the current transfer is a hop of a redirect, and not an attempt.
    private(set) var isHop = false
    private(set) var history = SendHistory()
    /// How the client reads the bodies of responses.
    private let coding: ClientCoding?
    /// The request as the caller gave it, or as the last redirect made it.
    private(set) var original: Request
    /// The request as it went out. Interceptors find the tags that they set on it again at the next attempt.
    private(set) var outgoing: Request?
    /// Where the response of the current transfer comes from, if a cache has reported it. A stored response needs no attempt.
    private(set) var cacheStatus: CacheStatus?
    /// Set while retriers peek at a response and decide about it.
    private(set) var peeked: PeekedResponse?

    /// How many bytes of a redirect's body are read before its connection is closed.
    private static let discardLimit = 64 * 1024
    /// The number of attempts at which even a retrier that always retries is stopped.
    private static let attemptLimit = 100

    init(_ request: Request, redirects: RedirectPolicy, coding: ClientCoding? = nil) {
        (original, self.redirects, self.coding) = (request, redirects, coding)
    }

    /// Handles an input and returns the actions to perform, in order.
    mutating func apply(_ input: Input) -> Actions {
        if isFinished { return .none }
        switch input {
        case .start: if case .idle = state { return send(original) } else { return .none }
        case .adapting(let isWaiting): return adapt(isWaiting)
        case .sending(let request): return send(as: request)
        case .part(let part): return partReceived(part)
        case .head(let head, let limit, let peer): return headReceived(head, limit, from: peer)
        case .ended(let error): return endTransfer(error)
        case .decided(let result): return follow(result)
        case .waited: if case .waiting = state { return send(original) } else { return .none }
        case .credentialChanged(let change): return .one(.emit(.credentialChanged(change)))
        case .fail(let error): return fail(error)
        case .interrupt(let error): return fail(located(error))
        case .dispose: return end(.one(.leave))
        }
    }
}

// The transfer begins and ends.
extension RequestStateMachine {
    private mutating func send(_ request: Request, isHop: Bool = false) -> Actions {
        self.isHop = isHop
        state = .queued
        phase = .queued
        outgoing = nil
        cacheStatus = nil
        peeked = nil
        history.end()
        step += 1
        return .one(.send(request))
    }

    /// A slow adapter usually waits for a credential. Once a request is sent, a preparation is that of the next one.
    private mutating func adapt(_ isWaiting: Bool) -> Actions {
        guard case .queued = state else { return .none }
        phase = isWaiting ? .refreshing : .queued
        return .one(.adapt(isWaiting))
    }

    private mutating func send(as request: Request) -> Actions {
        switch state {
        case .queued: return begin(with: request)
        case .sent:
            // The request had to queue once more before any of it was sent, or a layer sends it twice.
            outgoing = request
            history.beginAgain()
            return .one(.observe(request))
        default: return .none
        }
    }

    private mutating func begin(with request: Request) -> Actions {
        outgoing = request
        state = .sent
        history.begin()
        if isHop { return .one(.observe(request)) }
        attempts += 1
        return .two(.observe(request), .emit(.attempt(number: attempts, request: request)))
    }

    private mutating func endTransfer(_ error: (any Error)?) -> Actions {
        switch state {
        case .queued, .sent: return decide(about: .failure(error ?? noResponse))
        case .peeking: return decideAtEnd(error)
        case .deciding:
            peeked?.end = error.map { .failure($0) } ?? .success(())
            return .none
        case .delivering: return end(.one(error.map { .fail($0) } ?? .finish))
        case .redirecting(let next, _): return redirect(to: next)
        case .idle, .waiting, .finished: return .none
        }
    }

    private mutating func end(_ actions: Actions) -> Actions {
        state = .finished
        peeked = nil
        return actions
    }

    /// Ends the request with an error, even if the machine has finished and its last actions were dropped.
    mutating func fail(_ error: any Error) -> Actions {
        end(.two(.cancel, .fail(addingResponse(to: error))))
    }
}

// The response arrives.
extension RequestStateMachine {
    private mutating func headReceived(_ head: HTTPResponse, _ limit: Int, from peer: String?) -> Actions {
        switch state {
        // A transport that responds without sending anything does not report `willSend`.
        case .queued: begin(with: original) + receive(head, limit, from: peer)
        case .sent: receive(head, limit, from: peer)
        default: .none
        }
    }

    private mutating func receive(_ head: HTTPResponse, _ limit: Int, from peer: String?) -> Actions {
        history.end()
        do {
            if RedirectPolicy.isRedirect(head.status.code),
                let next = try redirects.next(after: originalWithTags, sentTo: onWire.url, respondedWith: head)
            {
                state = .redirecting(to: next, discarded: 0)
                phase = .redirecting
                return .one(.emit(.redirect(status: head.status, to: next.url)))
            }
        } catch {
            // The caller can look at the redirect that is not followed.
            peeked = PeekedResponse(head, to: onWire, at: location(at: peer), coding: coding, limit: 0)
            return fail(error)
        }
        guard limit > 0 else { return deliver(head, from: onWire.url) }
        peeked = PeekedResponse(head, to: onWire, at: location(at: peer), coding: coding, limit: limit)
        state = .peeking
        phase = .receiving
        return .none
    }

    private mutating func deliver(_ head: HTTPResponse, from url: RequestURL) -> Actions {
        state = .delivering
        phase = .receiving
        return .one(.emit(.head(head, url: url)))
    }

    private mutating func partReceived(_ part: ResponsePart) -> Actions {
        if case .phase(.cache(let status)) = part { return cacheReported(status) }
        switch state {
        case .queued where part.followsHead, .sent where part.followsHead: return fail(missingHead)
        case .queued where part.isLayerEvent: return deliver(part)
        case .queued: return begin(with: original) + deliver(part)
        case .sent, .delivering: return deliver(part)
        case .peeking: return buffer(part)
        case .deciding:
            // The part was already on its way when the transfer was paused.
            peeked?.append(part)
            return .none
        case .redirecting(let next, let discarded): return discard(part, discarded: discarded, before: next)
        case .idle, .waiting, .finished: return .none
        }
    }

    private mutating func cacheReported(_ status: CacheStatus) -> Actions {
        cacheStatus = status
        if case .queued = state, status != .miss { (state, outgoing) = (.sent, original) }
        return .one(.emit(.phase(.cache(status))))
    }

    private mutating func deliver(_ part: ResponsePart) -> Actions {
        switch part {
        case .phase(let reached) where !part.isLayerEvent:
            phase = reached.following(sending: onWire.hasLongBody, isSecure: onWire.url.isSecure)
            history.reach(phase)
        case .sent(let bytes, let total) where bytes == total && phase == .sending:
            phase = .waiting
        default: break
        }
        return RequestEvent(part).map { .one(.emit($0)) } ?? .none
    }

    private mutating func buffer(_ part: ResponsePart) -> Actions {
        peeked?.append(part)
        guard let peeked, peeked.isEnough else { return .none }
        return .one(.hold(true)) + decide(about: .response(peeked.response))
    }

    private mutating func decideAtEnd(_ error: (any Error)?) -> Actions {
        guard let response = peeked?.response else { return .none }
        guard let error else {
            peeked?.end = .success(())
            return decide(about: .response(response))
        }
        let failure = addingResponse(to: error)
        peeked = nil
        return decide(about: .failure(failure))
    }

    private mutating func discard(_ part: ResponsePart, discarded: Int, before next: Request) -> Actions {
        guard case .body(let bytes) = part else { return .none }
        state = .redirecting(to: next, discarded: discarded + bytes.count)
        return discarded + bytes.count > Self.discardLimit ? .one(.cancel) + redirect(to: next) : .none
    }

    private mutating func redirect(to next: Request) -> Actions {
        original = next
        return send(next, isHop: true)
    }
}

// The outcome of an attempt.
extension RequestStateMachine {
    private mutating func decide(about outcome: Attempt.Outcome) -> Actions {
        state = .deciding(outcome)
        if case .response = outcome { phase = .refreshing }
        if !isOneShot, history.takeNewAttempt(after: outcome) { return retry(after: .zero, dueTo: outcome) }
        outcomes += 1
        history.end(isUnsent: outcome.isUnsent)
        guard outcomes < Self.attemptLimit else { return follow(.doNotRetry, after: outcome) }
        return .one(.ask(Attempt(request: onWire, original: originalWithTags, number: outcomes, outcome: outcome)))
    }

    private mutating func follow(_ result: RetryResult) -> Actions {
        if case .deciding(let outcome) = state { follow(result, after: outcome) } else { .none }
    }

    private mutating func follow(_ result: RetryResult, after outcome: Attempt.Outcome) -> Actions {
        switch (isOneShot && !outcome.isUnsent ? result.withoutRepetition : result, outcome) {
        case (.retry, _): retry(after: .zero, dueTo: outcome)
        case (.retryWithDelay(let delay), _): retry(after: delay, dueTo: outcome)
        case (.doNotRetryWithError(let error), _): end(.two(.cancel, .fail(error)))
        case (.doNotRetry, .failure(let error)): end(.one(.fail(error)))
        case (.doNotRetry, .response): deliverPeeked()
        }
    }

    private mutating func retry(after delay: Duration, dueTo outcome: Attempt.Outcome) -> Actions {
        original = originalWithTags
        let actions = Actions.two(.cancel, .emit(.retry(after: delay, dueTo: outcome)))
        guard delay > .zero else { return actions + send(original) }
        (state, phase) = (.waiting(outcome), .retrying)
        (outgoing, peeked) = (nil, nil)
        step += 1
        return actions + .one(.wait(delay))
    }

    private mutating func deliverPeeked() -> Actions {
        guard let held = peeked.take() else { return .none }
        var actions = deliver(held.head, from: held.request.url)
        for part in held.parts { actions.append(deliver(part)) }
        switch held.end {
        case nil: return actions + .one(.hold(false))
        case .success: return end(actions + .one(.finish))
        case .failure(let error): return end(actions + .one(.fail(error)))
        }
    }
}
