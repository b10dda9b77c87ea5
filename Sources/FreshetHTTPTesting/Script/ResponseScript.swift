public import FreshetCore
import FreshetHTTP
public import HTTPTypes

/// What is answered to which request, and what was asked.
///
/// An answer in the queue goes first, then the first route that matches; a request that nobody answers is told so. One
/// script can be played by a ``StubTransport`` and by a ``ScriptedServer``, and used from any thread.
public final class ResponseScript: Sendable {
    private struct Route: Sendable {
        var pattern: RoutePattern
        var response: @Sendable (RecordedRequest) -> ScriptedResponse
    }

    private struct State {
        var queue: [ScriptedResponse] = []
        var routes: [Route] = []
    }

    private let state = Locked(State())
    private let arrivals: EventLog<RecordedRequest>
    private let departures: EventLog<RecordedRequest>
    private let pauses: EventLog<RecordedRequest>
    private let refusals: EventLog<RecordedRequest>

    public convenience init() {
        self.init(keepsRequests: true)
    }

    /// - Parameter keepsRequests: whether ``requests`` and ``abandoned`` hold what has been asked. Where millions are, and
    ///   nobody looks, that is memory for nothing; they are counted, and streamed as they come, in any case.
    public init(keepsRequests: Bool) {
        arrivals = EventLog(keeps: keepsRequests)
        departures = EventLog(keeps: keepsRequests)
        pauses = EventLog(keeps: keepsRequests)
        refusals = EventLog(keeps: keepsRequests)
    }

    /// Answers the requests with this method and path, any where they are `nil`, with what `response` returns.
    ///
    /// - Parameters:
    ///   - method: `nil` is any.
    ///   - path: without a query; `*` stands for one segment, and `**` at the end for all that follow.
    ///   - response: called on the thread of the transport or the loop of the server; it must not block.
    @preconcurrency
    public func route(
        _ method: HTTPRequest.Method? = nil, _ path: String? = nil,
        _ response: @escaping @Sendable (RecordedRequest) -> ScriptedResponse
    ) {
        append(RoutePattern(method: method, path: path), response)
    }

    /// Answers the requests with this method and path with these in turn, and with the last from then on.
    public func route(
        _ method: HTTPRequest.Method? = nil, _ path: String? = nil, responses first: ScriptedResponse,
        _ others: ScriptedResponse...
    ) {
        route(method, path, responses: [first] + others)
    }

    func route(_ method: HTTPRequest.Method?, _ path: String?, responses: [ScriptedResponse]) {
        let left = Locked(responses[...])
        append(RoutePattern(method: method, path: path)) { _ in
            left.withLock { $0.count > 1 ? $0.removeFirst() : $0.first! }
        }
    }

    /// Answers the requests that `predicate` is true of.
    ///
    /// - Parameters:
    ///   - name: what the route is called where the routes are listed.
    ///   - predicate: called as `response` is.
    ///   - response: called on the thread of the transport or the loop of the server; it must not block.
    @preconcurrency
    public func route(
        named name: String = "by a predicate", where predicate: @escaping @Sendable (RecordedRequest) -> Bool,
        _ response: @escaping @Sendable (RecordedRequest) -> ScriptedResponse
    ) {
        append(RoutePattern(name: name, predicate: predicate), response)
    }

    private func append(_ pattern: RoutePattern, _ response: @escaping @Sendable (RecordedRequest) -> ScriptedResponse)
    {
        state.withLock { $0.routes.append(Route(pattern: pattern, response: response)) }
    }

    /// Answers the next requests with these, one each, whatever they ask.
    public func enqueue(_ responses: ScriptedResponse...) {
        state.withLock { $0.queue += responses }
    }

    /// What was asked, in order.
    public var requests: [RecordedRequest] { arrivals.elements }

    /// What was asked with this method and path, any where they are `nil`; see ``route(_:_:_:)`` for patterns.
    public func requests(_ method: HTTPRequest.Method? = nil, to path: String) -> [RecordedRequest] {
        let pattern = RoutePattern(method: method, path: path)
        return requests.filter(pattern.matches)
    }

    /// How often something was asked.
    public var requestCount: Int { arrivals.count }

    /// What was asked, from the first request on, and what is asked from now on.
    public var received: Observable<RecordedRequest> { arrivals.stream }

    /// The requests that were cancelled, or whose connection was lost, before the answer was complete; in order.
    public var abandoned: [RecordedRequest] { departures.elements }

    /// The same from the first on, as it happens.
    public var abandonments: Observable<RecordedRequest> { departures.stream }

    /// The requests whose receiver paused, each time it did; in order. A server has them not: it sees full buffers alone.
    public var paused: [RecordedRequest] { pauses.elements }

    /// The requests for which nothing was scripted, in order.
    public var unmatched: [RecordedRequest] { refusals.elements }

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

    func recordPaused(_ request: RecordedRequest) {
        _ = pauses.append { _ in request }
    }

    /// `nil` if nothing is scripted for it, which is recorded.
    func response(to request: RecordedRequest) -> ScriptedResponse? {
        let (queued, route) = state.withLock { state -> (ScriptedResponse?, Route?) in
            if !state.queue.isEmpty { return (state.queue.removeFirst(), nil) }
            return (nil, state.routes.first { $0.pattern.matches(request) })
        }
        if let response = queued ?? route?.response(request) { return response }
        _ = refusals.append { _ in request }
        return nil
    }

    /// What was asked that nothing is scripted for, and what there is.
    func complaint(about request: RecordedRequest) -> String {
        let routes = state.withLock { $0.routes.map(\.pattern.description) }
        let list = routes.isEmpty ? "there are no routes" : "the routes are \(routes.joined(separator: ", "))"
        return
            "nothing is scripted for \(request.method) \(request.path), and \(list); add a route or enqueue a response"
    }

    /// How a stub ends such a request.
    func refusal(of request: RecordedRequest) -> ScriptedResponse {
        .failure(
            HTTPClientError(
                .invalidRequest, phase: .preparing, origin: request.origin, message: complaint(about: request),
                isUnsent: true))
    }
}
