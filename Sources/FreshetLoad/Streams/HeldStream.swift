import Freshet

/// One open stream. It keeps little state, because a run opens many streams. Used on the loop alone.
final class HeldStream: ObserverType {
    private unowned let run: StreamLoadRun
    /// The time at which the stream was begun.
    let since: Instant
    private(set) var isOpen = false
    private var isEnded = false
    /// Whether the head of the response is awaited.
    var isOpening: Bool { !isOpen && !isEnded }
    private var subscription: (any Disposable)?

    init(of run: StreamLoadRun, since: Instant) {
        self.run = run
        self.since = since
    }

    func begin(_ stream: Observable<RequestEvent>) {
        let subscription = stream.subscribe(self)
        // The response can have come, and been refused, within that call.
        if isEnded { subscription.dispose() } else { self.subscription = subscription }
    }

    func cancel() {
        isEnded = true
        subscription?.dispose()
        subscription = nil
    }

    func on(_ event: Event<RequestEvent>) {
        guard !isEnded else { return }
        switch event {
        case .next(.head(let head, _)):
            if let failure = refusal(of: head) {
                cancel()
                run.streamFailed(self, failure)
            } else {
                isOpen = true
                run.streamOpened(self)
            }
        case .next:
            break
        case .error(let error):
            isEnded = true
            run.streamFailed(self, run.target.failure(error))
        case .completed:
            isEnded = true
            run.streamFailed(self, LoadFailure(kind: "ended", example: "the server ended the stream"))
        }
    }

    /// Why the response is no event stream; `nil` if it is one.
    private func refusal(of head: HTTPResponse) -> LoadFailure? {
        guard head.status == .ok else { return .status(head.status.code, to: run.target.request) }
        let type = head.headerFields[.contentType].flatMap(MediaType.init)
        guard type?.type != "text" || type?.subtype != "event-stream" else { return nil }
        let name = type.map { "the type \($0.type)/\($0.subtype)" }
        return LoadFailure(
            kind: "status",
            example: "the server responded with \(name ?? "no type"), which is no event stream")
    }
}
