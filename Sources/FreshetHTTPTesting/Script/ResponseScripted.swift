public import FreshetCore
public import HTTPTypes

/// What plays an ``ResponseScript``: its members are the script's.
public protocol ResponseScripted: Sendable {
    var script: ResponseScript { get }
}

extension ResponseScripted {
    /// See ``ResponseScript/route(_:_:_:)``.
    @preconcurrency
    public func route(
        _ method: HTTPRequest.Method? = nil, _ path: String? = nil,
        _ response: @escaping @Sendable (RecordedRequest) -> ScriptedResponse
    ) {
        script.route(method, path, response)
    }

    /// Answers the requests with this method and path with these in turn, and with the last from then on.
    public func route(
        _ method: HTTPRequest.Method? = nil, _ path: String? = nil, responses first: ScriptedResponse,
        _ others: ScriptedResponse...
    ) {
        script.route(method, path, responses: [first] + others)
    }

    /// Answers the requests that `predicate` is true of.
    @preconcurrency
    public func route(
        named name: String = "by a predicate", where predicate: @escaping @Sendable (RecordedRequest) -> Bool,
        _ response: @escaping @Sendable (RecordedRequest) -> ScriptedResponse
    ) {
        script.route(named: name, where: predicate, response)
    }

    /// See ``ResponseScript/enqueue(_:)``.
    public func enqueue(_ responses: ScriptedResponse...) {
        for response in responses { script.enqueue(response) }
    }

    /// What was asked, in order.
    public var requests: [RecordedRequest] { script.requests }

    /// What was asked with this method and path, any where they are `nil`.
    public func requests(_ method: HTTPRequest.Method? = nil, to path: String) -> [RecordedRequest] {
        script.requests(method, to: path)
    }

    /// How often something was asked.
    public var requestCount: Int { script.requestCount }

    /// What was asked, from the first request on, and what is asked from now on.
    public var received: Observable<RecordedRequest> { script.received }

    /// See ``ResponseScript/abandoned``.
    public var abandoned: [RecordedRequest] { script.abandoned }

    /// See ``ResponseScript/paused``.
    public var paused: [RecordedRequest] { script.paused }

    /// See ``ResponseScript/unmatched``.
    public var unmatched: [RecordedRequest] { script.unmatched }
}
