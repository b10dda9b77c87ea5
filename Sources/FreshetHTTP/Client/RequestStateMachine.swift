import FreshetCore
import HTTPTypes

/// The life of one request as a value: what happened goes in, what to do comes out. No clock, no stream, no thread.
struct RequestStateMachine {
    enum State {
        case idle, waiting, finished
        /// The request is on its way to the wire; its adapters have been asked, or not yet.
        case queued(isAdapted: Bool)
        /// A transfer is in flight and its head has not come.
        case sent
        /// The answer's beginning is kept until a retrier has seen it.
        indirect case peeking(Peeked)
        indirect case deciding(Request, Attempt.Outcome, held: Peeked?)
        case delivering
        /// The rest of an answer that points elsewhere is read, so that its connection can be used again.
        case redirecting(to: Request, discarded: Int)
    }

    /// The beginning of an answer.
    struct Peeked {
        var request: Request
        var head: HTTPResponse
        var limit: Int
        var parts: [ResponsePart] = []
        var body: [UInt8] = []
        var hasEnded = false
        /// What ended the transfer while it was decided about.
        var failure: (any Error)?

        var isEnough: Bool { hasEnded || body.count >= limit }
        var response: Response { Response(head: head, body: Array(body.prefix(limit)), url: request.url) }

        /// What has come may be all that a retrier, or the caller, has to know.
        func failure(_ error: any Error) -> any Error {
            guard var error = error as? HTTPClientError else { return error }
            error.response = error.response ?? response
            return error
        }
    }

    var attempts = 0
    var state = State.idle
    private var redirects: RedirectPolicy
    /// The request as the caller gave it, or as the last redirect made it.
    var original: Request
    /// As its adapters have made it last: what interceptors noted on it they find on the next attempt.
    var outgoing: Request?
    // Held by the client, as that is by whoever has the machine.
    unowned(unsafe) let peeking: Peeking

    /// What is read of a redirect's body before its connection is given up.
    private static let discardLimit = 64 * 1024
    /// A retrier that never gives up is stopped here.
    private static let attemptLimit = 100

    init(
        _ request: Request, redirects: RedirectPolicy, peeking: Peeking
    ) {
        original = request
        self.redirects = redirects
        self.peeking = peeking
    }

    /// Takes what happened and appends what to do, in order.
    mutating func take(_ input: Input, _ actions: inout [Action]) {
        switch (state, input) {
        case (.finished, _):
            break
        case (.peeking(let peeked), .failed(let error, isFinal: true)):
            actions.append(.cancel)
            end(with: peeked.failure(error), &actions)
        case (_, .failed(let error, isFinal: true)):
            actions.append(.cancel)
            end(with: knowingTheAnswer(error), &actions)
        case (.idle, .start), (.waiting, .waited):
            send(original, &actions)
        case (.queued, .adapted(let request)):
            adapted(request)
        case (.queued(isAdapted: true), .part), (.queued(isAdapted: true), .ended),
            (.queued(isAdapted: true), .failed):
            if let event = begin() { actions.append(.emit(event)) }
            take(input, &actions)
        case (.queued, .part(let part)):
            deliver(part, &actions)
        case (.queued, .failed(let error, _)):
            decide(about: .failure(error), of: original, held: nil, &actions)
        case (.delivering, .failed(let error, _)):
            end(with: error, &actions)
        case (.sent, .part(let part)):
            receive(part, of: onWire, &actions)
        case (.sent, .failed(let error, _)):
            decide(about: .failure(error), of: onWire, held: nil, &actions)
        case (.sent, .ended):
            decide(about: .failure(Self.noAnswer(onWire)), of: onWire, held: nil, &actions)
        case (.peeking(let peeked), .part(let part)):
            keep(part, in: peeked, &actions)
        case (.peeking(var peeked), .ended):
            peeked.hasEnded = true
            decide(about: .response(peeked.response), of: peeked.request, held: peeked, &actions)
        case (.peeking(let peeked), .failed(let error, _)):
            decide(about: .failure(peeked.failure(error)), of: peeked.request, held: nil, &actions)
        case (.deciding(let request, let outcome, var held?), .part(let part)):
            // Under way when the transport was told to hold.
            held.parts.append(part)
            state = .deciding(request, outcome, held: held)
        case (.deciding(let request, let outcome, var held?), .ended):
            held.hasEnded = true
            state = .deciding(request, outcome, held: held)
        case (.deciding(let request, let outcome, var held?), .failed(let error, _)):
            held.failure = error
            state = .deciding(request, outcome, held: held)
        case (.deciding(_, let outcome, let held), .decided(let result)):
            follow(result, after: outcome, held: held, &actions)
        case (.delivering, .part(let part)):
            deliver(part, &actions)
        case (.delivering, .ended):
            state = .finished
            actions.append(.finish)
        case (.redirecting(let next, let discarded), .part(let part)):
            discard(part, discarded: discarded, before: next, &actions)
        case (.redirecting(let next, _), .ended), (.redirecting(let next, _), .failed):
            redirect(to: next, &actions)
        default:
            break
        }
    }

    private mutating func send(_ request: Request, _ actions: inout [Action]) {
        state = .queued(isAdapted: false)
        actions.append(.send(request))
    }

    /// - Returns: what to tell of it.
    mutating func begin() -> RequestEvent? {
        state = .sent
        defer { redirects.isUnderWay = false }
        if redirects.isUnderWay { return nil }
        attempts += 1
        return .attempt(number: attempts, request: onWire)
    }

    /// As it is on the wire.
    var onWire: Request { outgoing ?? original }

    /// The original with what interceptors have noted on the last attempt.
    private var noted: Request {
        guard let outgoing else { return original }
        var request = original
        request.tags = outgoing.tags
        return request
    }

    private mutating func receive(_ part: ResponsePart, of request: Request, _ actions: inout [Action]) {
        guard case .head(let head) = part else { return deliver(part, &actions) }
        do {
            if let next = try redirects.next(after: noted, answeredWith: head) {
                state = .redirecting(to: next, discarded: 0)
                actions.append(.emit(.redirect(status: head.status, to: next.url)))
                return
            }
        } catch {
            actions.append(.cancel)
            return end(with: error, &actions)
        }
        let limit = peeking.limit(head, head.status.code, request)
        if limit > 0 {
            state = .peeking(Peeked(request: request, head: head, limit: limit))
        } else {
            state = .delivering
            actions.append(.emit(.head(head, url: request.url)))
        }
    }

    private mutating func keep(_ part: ResponsePart, in peeked: Peeked, _ actions: inout [Action]) {
        var peeked = peeked
        peeked.parts.append(part)
        if case .body(let bytes) = part { peeked.body += bytes }
        state = .peeking(peeked)
        if peeked.isEnough {
            actions.append(.hold(true))
            decide(about: .response(peeked.response), of: peeked.request, held: peeked, &actions)
        }
    }

    private mutating func decide(
        about outcome: Attempt.Outcome, of request: Request, held: Peeked?, _ actions: inout [Action]
    ) {
        state = .deciding(request, outcome, held: held)
        if peeking.hasRetriers, attempts < Self.attemptLimit {
            actions.append(
                .ask(Attempt(request: request, original: noted, number: attempts, outcome: outcome)))
        } else {
            follow(.doNotRetry, after: outcome, held: held, &actions)
        }
    }

    private mutating func follow(
        _ result: RetryResult, after outcome: Attempt.Outcome, held: Peeked?, _ actions: inout [Action]
    ) {
        switch (original.isOneShot && !outcome.isUnsent ? result.withoutRepetition : result, outcome, held) {
        case (.retry, _, _):
            retry(after: .zero, dueTo: outcome, &actions)
        case (.retryWithDelay(let delay), _, _):
            retry(after: delay, dueTo: outcome, &actions)
        case (.doNotRetryWithError(let error), _, _):
            actions.append(.cancel)
            end(with: error, &actions)
        case (.doNotRetry, .failure(let error), _):
            end(with: error, &actions)
        case (.doNotRetry, .response, let held?):
            state = .delivering
            actions.append(.emit(.head(held.head, url: held.request.url)))
            for part in held.parts { deliver(part, &actions) }
            if let failure = held.failure {
                end(with: failure, &actions)
            } else if held.hasEnded {
                take(.ended, &actions)
            } else {
                actions.append(.hold(false))
            }
        case (.doNotRetry, .response, nil):
            break
        }
    }

    private mutating func retry(after delay: Duration, dueTo outcome: Attempt.Outcome, _ actions: inout [Action]) {
        // What an adapter noted on the request, such as how often it was repeated, lasts over the attempts.
        if case .deciding(let request, _, _) = state { original.tags = request.tags }
        actions += [.cancel, .emit(.retry(after: delay, dueTo: outcome))]
        if delay > .zero {
            state = .waiting
            actions.append(.wait(delay))
        } else {
            send(original, &actions)
        }
    }

    private mutating func discard(
        _ part: ResponsePart, discarded: Int, before next: Request, _ actions: inout [Action]
    ) {
        guard case .body(let bytes) = part else { return }
        state = .redirecting(to: next, discarded: discarded + bytes.count)
        if discarded + bytes.count > Self.discardLimit {
            actions.append(.cancel)
            redirect(to: next, &actions)
        }
    }

    private mutating func redirect(to next: Request, _ actions: inout [Action]) {
        original = next
        redirects.isUnderWay = true
        send(next, &actions)
    }

    private func deliver(_ part: ResponsePart, _ actions: inout [Action]) {
        if let event = RequestEvent(part) { actions.append(.emit(event)) }
    }

    private mutating func end(with error: any Error, _ actions: inout [Action]) {
        state = .finished
        actions.append(.fail(error))
    }

    /// The same error, with the answer that had been seen when it came.
    private func knowingTheAnswer(_ error: any Error) -> any Error {
        guard var error = error as? HTTPClientError, error.response == nil else { return error }
        switch state {
        case .peeking(let peeked): error.response = peeked.response
        case .deciding(_, .response(let response), _): error.response = response
        default: break
        }
        return error
    }

    private static func noAnswer(_ request: Request) -> HTTPClientError {
        HTTPClientError(
            .connectionLost, phase: .waiting, origin: request.url.origin.description,
            message: "the connection ended before an answer began", remedy: .tryAgain)
    }
}
