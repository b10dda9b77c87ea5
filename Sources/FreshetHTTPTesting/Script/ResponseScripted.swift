public import FreshetCore
public import HTTPTypes

/// A type that plays a ``ResponseScript``. It has the public members of the script.
public protocol ResponseScripted: Sendable {
    var script: ResponseScript { get }
}

extension ResponseScripted {
    /// Adds a route; see ``ResponseScript/route(_:_:_:)``.
    @preconcurrency
    public func route(
        _ method: HTTPRequest.Method? = nil, _ path: String? = nil,
        _ response: @escaping @Sendable (RecordedRequest) -> ScriptedResponse
    ) {
        script.route(method, path, response)
    }

    /// Sends these responses in turn to requests with this method and path, and the last one from then on.
    public func route(
        _ method: HTTPRequest.Method? = nil, _ path: String? = nil, responses first: ScriptedResponse,
        _ others: ScriptedResponse...
    ) {
        script.route(method, path, responses: [first] + others)
    }

    /// Responds to requests for which `predicate` returns `true`.
    @preconcurrency
    public func route(
        named name: String = "by a predicate", where predicate: @escaping @Sendable (RecordedRequest) -> Bool,
        _ response: @escaping @Sendable (RecordedRequest) -> ScriptedResponse
    ) {
        script.route(named: name, where: predicate, response)
    }

    /// Enqueues responses for the next requests; see ``ResponseScript/enqueue(_:)``.
    public func enqueue(_ responses: ScriptedResponse...) {
        for response in responses { script.enqueue(response) }
    }

    /// The number of enqueued responses that no request has got yet; see ``ResponseScript/queuedResponseCount``.
    public var queuedResponseCount: Int { script.queuedResponseCount }

    /// The requests, in order.
    public var requests: [RecordedRequest] { script.requests }

    /// The requests with this method and path. A `nil` matches any method.
    public func requests(_ method: HTTPRequest.Method? = nil, to path: String) -> [RecordedRequest] {
        script.requests(method, to: path)
    }

    /// The number of requests.
    public var requestCount: Int { script.requestCount }

    /// Emits all requests: first the recorded ones, then each one as it arrives.
    public var received: Observable<RecordedRequest> { script.received }

    /// The requests that were abandoned; see ``ResponseScript/abandoned``.
    public var abandoned: [RecordedRequest] { script.abandoned }

    /// Emits the requests that are abandoned; see ``ResponseScript/abandonments``.
    public var abandonments: Observable<RecordedRequest> { script.abandonments }

    /// The requests whose receiver paused; see ``ResponseScript/paused``.
    public var paused: [RecordedRequest] { script.paused }

    /// The requests without a scripted response; see ``ResponseScript/unmatched``.
    public var unmatched: [RecordedRequest] { script.unmatched }
}
