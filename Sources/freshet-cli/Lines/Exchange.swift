import Freshet
import Synchronization

/// One request of `run` on its way to its line of output: a place for one at a time, used again and again.
// Unchecked: what is no atomic is the loop's.
final class Exchange: ObserverType, @unchecked Sendable {
    // The flow lets go of its exchanges at its end.
    private let flow: RequestFlow
    private let client: HTTPClient
    @exclusivity(unchecked) private(set) var answer = AnswerLine()
    @exclusivity(unchecked) private var line: RequestLine?
    @exclusivity(unchecked) private var collector: ResponseCollector?
    @exclusivity(unchecked) private var subscription: (any Disposable)?
    @exclusivity(unchecked) private var started = Instant(sinceStart: .zero)
    /// How many attempts came to their end before anything was put on the wire.
    @exclusivity(unchecked) private var unsent = 0
    /// Nothing is known of the attempt that runs but that it has begun.
    @exclusivity(unchecked) private var hasJustBegun = false
    @exclusivity(unchecked) private var isOver = true
    /// How many events are on their way to the loop. Nearly all happen there.
    private let underWay = Atomic<Int>(0)

    /// The line of output, while those before it are waited for.
    @exclusivity(unchecked) var text: [UInt8]?

    init(of flow: RequestFlow, by client: HTTPClient) {
        self.flow = flow
        self.client = client
    }

    /// Sends the request; the flow hears of the end exactly once, whatever happens, maybe before this returns.
    func begin(_ line: RequestLine) {
        self.line = line
        answer = AnswerLine(id: line.id)
        unsent = 0
        hasJustBegun = false
        isOver = false
        started = flow.loop.now
        switch line.request {
        case .failure(let error):
            answer.error = error
            isOver = true
            flow.ended(self)
        case .success(let request):
            collector = ResponseCollector(
                limit: client.configuration.maximumBodySize, origin: request.url.origin)
            let subscription = client.events(request).subscribe(self)
            if isOver { subscription.dispose() } else { self.subscription = subscription }
        }
    }

    /// Lets go of what came, which may be large.
    func forget() {
        answer = AnswerLine()
        line = nil
    }

    func pause() { (subscription as? any Pausable)?.pause() }
    func resume() { (subscription as? any Pausable)?.resume() }

    /// Lets go of the request; the flow hears nothing of it any more.
    func cancel() {
        isOver = true
        subscription?.dispose()
        subscription = nil
    }

    func on(_ event: Event<RequestEvent>) {
        // None may overtake another.
        if flow.loop.isCurrent, underWay.load(ordering: .relaxed) == 0 { return take(event) }
        underWay.add(1, ordering: .relaxed)
        flow.loop.execute {
            self.underWay.subtract(1, ordering: .relaxed)
            self.take(event)
        }
    }

    private func take(_ event: Event<RequestEvent>) {
        if isOver { return }
        switch event {
        case .next(let event):
            note(event)
            do { try collector?.take(event) } catch { end(with: error) }
        case .error(let error): end(with: error)
        case .completed:
            do {
                answer.body = try collector?.finish().body
                end(with: nil)
            } catch {
                end(with: error)
            }
        }
    }

    private func note(_ event: RequestEvent) {
        switch event {
        case .attempt(let number, let request):
            answer.attempts = number - unsent
            hasJustBegun = true
            answer.refreshes = request.tags[AuthenticationMark.self]?.replays ?? answer.refreshes
        case .head(let head, _):
            answer.head = head
            hasJustBegun = false
        case .redirect:
            hasJustBegun = false
        case .retry(_, .failure(let error)):
            leaveOut(error)
        default: break
        }
    }

    /// An attempt whose connection could not be made was never on the wire.
    private func leaveOut(_ error: any Error) {
        guard hasJustBegun, let error = error as? HTTPClientError, error.isUnsent || error.phase.isBeforeSending
        else { return }
        hasJustBegun = false
        unsent += 1
        answer.attempts -= 1
    }

    private func end(with error: (any Error)?) {
        isOver = true
        collector = nil
        answer.duration = started.duration(to: flow.loop.now)
        if let error { fail(error) }
        subscription?.dispose()
        subscription = nil
        flow.ended(self)
    }

    private func fail(_ error: any Error) {
        let error = error as? HTTPClientError ?? HTTPClientError(.protocol, phase: .receiving, message: "\(error)")
        leaveOut(error)
        if answer.head == nil, let response = error.response {
            answer.head = response.head
            // Others have not come to their end.
            if error.code.isAboutCredential { answer.body = response.body }
        }
        answer.error = line?.placed(error)
    }
}

extension HTTPClientError.Phase {
    fileprivate var isBeforeSending: Bool {
        [.preparing, .queued, .resolving, .connecting, .securing].contains(self)
    }
}

extension HTTPClientError.Code {
    /// Whether an answer came, and there was no credential to repeat its request with.
    fileprivate var isAboutCredential: Bool {
        [.loginRequired, .refreshFailed, .refreshStorm, .store].contains(self)
    }
}
