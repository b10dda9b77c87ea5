import Freshet

/// Sends one request at a time. The object is reused for all its requests, so that a request costs only what the
/// library needs.
///
/// Used on its worker's loop alone.
final class VirtualUser: ObserverType {
    // A retain cycle until the worker ends and removes its users.
    private let worker: LoadWorker
    private var start = Instant(sinceStart: .zero)
    private var subscription: (any Disposable)?
    /// Whether ``send(_:from:)`` is running. A request can end before the call that begins it returns. That call then
    /// begins the next request, so that the stack does not grow.
    private var isSending = false
    private var next: (stream: Observable<RequestEvent>, start: Instant)?
    /// How many requests the running call of ``send(_:from:)`` has begun.
    private var sentInThisTurn = 0

    private(set) var isBusy = false
    /// Whether the request has got a connection. A request that has not can be given up without a loss.
    private(set) var isAdmitted = false
    private(set) var status = 0
    private(set) var received = 0
    private(set) var connections = 0
    private(set) var isHTTP2 = false

    init(of worker: LoadWorker) {
        self.worker = worker
    }

    /// Sends a request whose latency counts from `start`.
    func send(_ stream: Observable<RequestEvent>, from start: Instant) {
        next = (stream, start)
        if isSending { return }
        isSending = true
        sentInThisTurn = 0
        while let (stream, start) = next {
            next = nil
            sentInThisTurn += 1
            self.start = start
            status = 0
            received = 0
            connections = 0
            isHTTP2 = false
            isBusy = true
            isAdmitted = false
            let subscription = stream.subscribe(self)
            if isBusy { self.subscription = subscription }
        }
        isSending = false
    }

    /// Whether the next request should begin in a later turn of the loop, because many responses came synchronously, such as
    /// those of a cache. The deadline and the end of the run need a turn too.
    var needsTurn: Bool { isSending && sentInThisTurn >= 64 }

    func cancel() {
        isBusy = false
        subscription?.dispose()
        subscription = nil
    }

    func on(_ event: Event<RequestEvent>) {
        switch event {
        case .next(let event): record(event)
        case .error(let error): end(error)
        case .completed: end(nil)
        }
    }

    private func record(_ event: RequestEvent) {
        switch event {
        case .body(let bytes): received += bytes.count
        case .head(let head, _): status = head.status.code
        case .attempt: isAdmitted = true
        case .phase(.connected(_, let isReused)): if !isReused { connections += 1 }
        case .phase(.secured(let name)): isHTTP2 = name == "h2"
        default: break
        }
    }

    private func end(_ error: (any Error)?) {
        guard isBusy else { return }
        isBusy = false
        subscription = nil
        let now = worker.loop.now
        worker.requestEnded(self, at: now, after: start.duration(to: now), with: error)
    }
}
