public import FreshetCore
public import HTTPTypes

/// What is answered to which request, and what was asked.
///
/// An answer in the queue goes first, then the first route that matches; a request that nobody answers gets a 404 that
/// says so. One script can be played by a ``StubTransport`` and by a ``ScriptedServer``, and used from any thread.
public final class AnswerScript: Sendable {
    private struct Route: Sendable {
        var method: HTTPRequest.Method?
        var path: String?
        var answer: @Sendable (RecordedRequest) -> ScriptedAnswer

        func matches(_ request: RecordedRequest) -> Bool {
            (method == nil || method == request.method) && (path == nil || path == request.path)
        }
    }

    private struct State {
        var queue: [ScriptedAnswer] = []
        var routes: [Route] = []
    }

    private let state = Locked(State())
    private let arrivals: Feed<RecordedRequest>
    private let departures: Feed<RecordedRequest>

    public convenience init() {
        self.init(keepsRequests: true)
    }

    /// - Parameter keepsRequests: whether ``requests`` and ``abandoned`` hold what has been asked. Where millions are, and
    ///   nobody looks, that is memory for nothing; they are counted, and streamed as they come, in any case.
    public init(keepsRequests: Bool) {
        arrivals = Feed(keeps: keepsRequests)
        departures = Feed(keeps: keepsRequests)
    }

    /// Answers the requests with this method and path, any where they are `nil`, with what `answer` returns.
    ///
    /// - Parameter answer: called on the thread of the transport or the loop of the server; it must not block.
    public func route(
        _ method: HTTPRequest.Method? = nil, _ path: String? = nil,
        _ answer: @escaping @Sendable (RecordedRequest) -> ScriptedAnswer
    ) {
        state.withLock { $0.routes.append(Route(method: method, path: path, answer: answer)) }
    }

    /// Answers the next requests with these, one each, whatever they ask.
    public func enqueue(_ answers: ScriptedAnswer...) {
        state.withLock { $0.queue += answers }
    }

    /// What was asked, in order.
    public var requests: [RecordedRequest] { arrivals.elements }

    /// How often something was asked.
    public var requestCount: Int { arrivals.count }

    /// What was asked, from the first request on, and what is asked from now on.
    public var received: Observable<RecordedRequest> { arrivals.stream }

    /// The requests that were cancelled, or whose connection was lost, before the answer was complete; in order.
    public var abandoned: [RecordedRequest] { departures.elements }

    /// The same from the first on, as it happens.
    public var abandonments: Observable<RecordedRequest> { departures.stream }

    func record(_ request: RecordedRequest) -> RecordedRequest {
        arrivals.append { number in
            var request = request
            request.number = number
            return request
        }
    }

    func recordAbandoned(_ request: RecordedRequest) {
        _ = departures.append { _ in request }
    }

    func answer(to request: RecordedRequest) -> ScriptedAnswer {
        let (queued, route) = state.withLock { state -> (ScriptedAnswer?, Route?) in
            if !state.queue.isEmpty { return (state.queue.removeFirst(), nil) }
            return (nil, state.routes.first { $0.matches(request) })
        }
        return queued ?? route?.answer(request)
            ?? ScriptedAnswer(
                status: .notFound,
                body: "nothing is scripted for \(request.method) \(request.path); add a route or enqueue an answer\n")
    }
}

/// What plays an ``AnswerScript``: its members are the script's.
public protocol AnswerScripted: Sendable {
    var script: AnswerScript { get }
}

extension AnswerScripted {
    /// See ``AnswerScript/route(_:_:_:)``.
    public func route(
        _ method: HTTPRequest.Method? = nil, _ path: String? = nil,
        _ answer: @escaping @Sendable (RecordedRequest) -> ScriptedAnswer
    ) {
        script.route(method, path, answer)
    }

    /// See ``AnswerScript/enqueue(_:)``.
    public func enqueue(_ answers: ScriptedAnswer...) {
        for answer in answers { script.enqueue(answer) }
    }

    /// What was asked, in order.
    public var requests: [RecordedRequest] { script.requests }

    /// How often something was asked.
    public var requestCount: Int { script.requestCount }

    /// What was asked, from the first request on, and what is asked from now on.
    public var received: Observable<RecordedRequest> { script.received }

    /// See ``AnswerScript/abandoned``.
    public var abandoned: [RecordedRequest] { script.abandoned }
}
