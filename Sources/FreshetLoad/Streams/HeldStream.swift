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
    /// The type of the response if it is not that of an event stream.
    private var otherType: String?
    private var subscription: (any Disposable)?

    init(of run: StreamLoadRun, since: Instant) {
        self.run = run
        self.since = since
    }

    func begin(_ stream: Observable<RequestEvent>) {
        let subscription = stream.subscribe(self)
        if !isEnded { self.subscription = subscription }
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
            if head.status.kind == .successful {
                isOpen = true
                if let type = head.headerFields[.contentType], !type.lowercased().hasPrefix("text/event-stream") {
                    otherType = type
                }
                run.streamOpened(self)
            } else {
                cancel()
                run.streamFailed(self, .status(head.status.code, to: run.target.request))
            }
        case .next:
            break
        case .error(let error):
            isEnded = true
            run.streamFailed(self, run.target.failure(error))
        case .completed:
            isEnded = true
            run.streamFailed(self, LoadFailure(kind: "ended", example: explanation))
        }
    }

    private var explanation: String {
        otherType.map { "the server responded with the type \($0), which is no event stream, and ended the response" }
            ?? "the server ended the stream"
    }
}
