public import FreshetCore
public import HTTPTypes

/// What plays an ``AnswerScript``: its members are the script's.
public protocol AnswerScripted: Sendable {
    var script: AnswerScript { get }
}

extension AnswerScripted {
    /// See ``AnswerScript/route(_:_:_:)``.
    @preconcurrency
    public func route(
        _ method: HTTPRequest.Method? = nil, _ path: String? = nil,
        _ answer: @escaping @Sendable (RecordedRequest) -> ScriptedAnswer
    ) {
        script.route(method, path, answer)
    }

    /// Answers the requests with this method and path with these in turn, and with the last from then on.
    public func route(
        _ method: HTTPRequest.Method? = nil, _ path: String? = nil, answers first: ScriptedAnswer,
        _ others: ScriptedAnswer...
    ) {
        script.route(method, path, answers: [first] + others)
    }

    /// Answers the requests that `predicate` is true of.
    @preconcurrency
    public func route(
        named name: String = "by a predicate", where predicate: @escaping @Sendable (RecordedRequest) -> Bool,
        _ answer: @escaping @Sendable (RecordedRequest) -> ScriptedAnswer
    ) {
        script.route(named: name, where: predicate, answer)
    }

    /// See ``AnswerScript/enqueue(_:)``.
    public func enqueue(_ answers: ScriptedAnswer...) {
        for answer in answers { script.enqueue(answer) }
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

    /// See ``AnswerScript/abandoned``.
    public var abandoned: [RecordedRequest] { script.abandoned }

    /// See ``AnswerScript/paused``.
    public var paused: [RecordedRequest] { script.paused }

    /// See ``AnswerScript/unanswered``.
    public var unanswered: [RecordedRequest] { script.unanswered }
}
