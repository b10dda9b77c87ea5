public import FreshetCore
import FreshetHTTP
public import HTTPTypes

/// The responses to requests, and a record of the requests.
///
/// A response in the queue is used first, then the first matching route. A request that matches neither gets a response
/// or an error that says so. A ``StubTransport`` and a ``ScriptedServer`` can play the same script. It can be used from
/// any thread.
public final class ResponseScript: Sendable {
    private struct Route: Sendable {
        var pattern: RoutePattern
        var response: @Sendable (RecordedRequest) -> ScriptedResponse
    }

    private struct State {
        var queue = Fifo<ScriptedResponse>()
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

    /// - Parameter keepsRequests: whether ``requests``, ``abandoned``, ``paused`` and ``unmatched`` keep the requests.
    ///   A test with millions of requests saves memory with `false`. Requests are counted, and emitted as they arrive,
    ///   in any case.
    public init(keepsRequests: Bool) {
        arrivals = EventLog(keeps: keepsRequests)
        departures = EventLog(keeps: keepsRequests)
        pauses = EventLog(keeps: keepsRequests)
        refusals = EventLog(keeps: keepsRequests)
    }

    /// Responds to requests with this method and path with what `response` returns. A `nil` matches any method or path.
    ///
    /// - Parameters:
    ///   - method: the method; `nil` matches any.
    ///   - path: the path without a query; `nil` matches any. `*` matches one segment, and `**` at the end matches all
    ///     following segments. A star anywhere else, a query, an origin and a missing first slash are programming errors.
    ///   - response: called on the thread of the transport or the loop of the server; it must not block.
    @preconcurrency
    public func route(
        _ method: HTTPRequest.Method? = nil, _ path: String? = nil,
        _ response: @escaping @Sendable (RecordedRequest) -> ScriptedResponse
    ) {
        append(RoutePattern(method: method, path: path), response)
    }

    /// Sends these responses in turn to requests with this method and path, and the last one from then on.
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

    /// Responds to requests for which `predicate` returns `true`.
    ///
    /// - Parameters:
    ///   - name: the name of the route in lists of the routes.
    ///   - predicate: called on the same thread as `response`.
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

    /// Sends these responses to the next requests, one for each, whatever the requests are.
    public func enqueue(_ responses: ScriptedResponse...) {
        state.withLock { state in
            for response in responses { state.queue.append(response) }
        }
    }

    /// The number of enqueued responses that no request has got yet. It is zero after a test that used them all.
    public var queuedResponseCount: Int { state.withLock { $0.queue.count } }

    /// The requests, in order.
    public var requests: [RecordedRequest] { arrivals.elements }

    /// The requests with this method and path. A `nil` matches any method. See ``route(_:_:_:)`` for patterns.
    public func requests(_ method: HTTPRequest.Method? = nil, to path: String) -> [RecordedRequest] {
        let pattern = RoutePattern(method: method, path: path)
        return requests.filter(pattern.matches)
    }

    /// The number of requests.
    public var requestCount: Int { arrivals.count }

    /// Emits all requests: first the recorded ones, then each one as it arrives.
    public var received: Observable<RecordedRequest> { arrivals.stream }

    /// The requests that were cancelled, or whose connection was lost, before the response was complete; in order.
    public var abandoned: [RecordedRequest] { departures.elements }

    /// Emits the requests of ``abandoned``, and then each one as it is abandoned.
    public var abandonments: Observable<RecordedRequest> { departures.stream }

    /// The requests whose receiver paused, once for each pause, in order. Only a stub records them, because a server
    /// only sees full buffers.
    public var paused: [RecordedRequest] { pauses.elements }

    /// The requests without a scripted response, in order.
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

    /// Returns the scripted response. If there is none, records the request and returns `nil`.
    func response(to request: RecordedRequest) -> ScriptedResponse? {
        let (queued, route) = state.withLock { state -> (ScriptedResponse?, Route?) in
            if let queued = state.queue.popFirst() { return (queued, nil) }
            return (nil, state.routes.first { $0.pattern.matches(request) })
        }
        if let response = queued ?? route?.response(request) { return response }
        _ = refusals.append { _ in request }
        return nil
    }

    /// Returns a message that names the request and the existing routes.
    func missingResponseMessage(for request: RecordedRequest) -> String {
        let routes = state.withLock { $0.routes.map(\.pattern.description) }
        let list = routes.isEmpty ? "there are no routes" : "the routes are \(routes.joined(separator: ", "))"
        return
            "nothing is scripted for \(request.method) \(request.path), and \(list); add a route or enqueue a response"
    }

    /// Returns the failure with which a stub ends a request without a scripted response.
    func refusal(of request: RecordedRequest) -> ScriptedResponse {
        .failure(
            HTTPClientError(
                .invalidRequest, phase: .preparing, origin: request.origin,
                message: missingResponseMessage(for: request),
                isUnsent: true))
    }
}
