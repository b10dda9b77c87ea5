import Freshet

/// One request of `run` on its way to its line of output.
final class Exchange: @unchecked Sendable {
    // The events of a request are serial, so nothing here is guarded.
    private var answer: AnswerLine
    private let started = ContinuousClock.now

    private let line: RequestLine
    /// How many attempts came to their end before anything was put on the wire.
    private var unsent = 0
    /// Nothing is known of the attempt that runs but that it has begun.
    private var hasJustBegun = false

    private init(for line: RequestLine) {
        self.line = line
        answer = AnswerLine(id: line.id)
    }

    /// Exactly one line for each, whatever happens.
    static func answer(to line: RequestLine, by client: HTTPClient) -> Observable<AnswerLine> {
        switch line.request {
        case .failure(let error):
            return .just(AnswerLine(id: line.id, error: error))
        case .success(let request):
            return .create { observer in
                let exchange = Exchange(for: line)
                return client.events(request)
                    .map(exchange.note)
                    .collected(limit: client.configuration.maximumBodySize, origin: request.url.origin)
                    .subscribe { result in
                        observer.onNext(exchange.ended(with: result))
                        observer.onCompleted()
                    }
            }
        }
    }

    @Sendable
    private func note(_ event: RequestEvent) -> RequestEvent {
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
        return event
    }

    /// An attempt whose connection could not be made was never on the wire.
    private func leaveOut(_ error: any Error) {
        guard hasJustBegun, let error = error as? HTTPClientError, error.isUnsent || error.phase.isBeforeSending
        else { return }
        hasJustBegun = false
        unsent += 1
        answer.attempts -= 1
    }

    private func ended(with result: Result<Response, any Error>) -> AnswerLine {
        answer.duration = ContinuousClock.now - started
        switch result {
        case .success(let response):
            answer.body = response.body
        case .failure(let error):
            let error = error as? HTTPClientError ?? HTTPClientError(.protocol, phase: .receiving, message: "\(error)")
            leaveOut(error)
            if answer.head == nil, let response = error.response {
                answer.head = response.head
                // Others have not come to their end.
                if error.code.isAboutCredential { answer.body = response.body }
            }
            answer.error = line.placed(error)
        }
        return answer
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
