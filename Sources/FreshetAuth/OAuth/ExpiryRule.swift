public import FreshetHTTP
import HTTPTypes

/// By what a response says that the credential of its request has ended. The first of these that says anything decides:
///
/// 1. A value in its JSON body, or a closure: it has ended.
/// 2. A challenge of `WWW-Authenticate` with the scheme `Bearer`: it has ended if its `error` is `invalid_token`; it has not
///    if that is `insufficient_scope` or `invalid_request`, whatever the status. Source: RFC 6750 section 3.
/// 3. The status: it has ended if that is listed, with or without a challenge.
public struct ExpiryRule: Sendable {
    /// A place in the JSON body of a response, and the values that mean it.
    public struct Body: Sendable, Hashable {
        public var pointer: JSONPointer
        /// Compared as text, so that `401` matches the number and the string.
        public var equals: [String]

        public init(pointer: JSONPointer, equals: [String]) {
            self.pointer = pointer
            self.equals = equals
        }
    }

    public var statuses: Set<Int>
    /// Looked for in responses with a status from 400 to 599.
    public var body: Body?
    /// Whether challenges are read; those of responses with a status from 400 to 499 count.
    public var readsChallenges = true
    /// Looks at status, fields and body, as far as that was peeked at, of responses with a status from 400 up.
    public var predicate: (@Sendable (Response) -> Bool)?

    @preconcurrency
    public init(
        statuses: Set<Int> = [401], body: Body? = nil, predicate: (@Sendable (Response) -> Bool)? = nil
    ) {
        self.statuses = statuses
        self.body = body
        self.predicate = predicate
    }

    public func match(_ response: Response) -> Bool {
        if body?.match(response) == true || predicate?(response) == true { return true }
        if readsChallenges, let hasEnded = response.saysTokenHasEnded { return hasEnded }
        return statuses.contains(response.status.code)
    }
}

extension ExpiryRule.Body {
    fileprivate func match(_ response: Response) -> Bool {
        guard (400...599).contains(response.status.code), let document = try? JSONValue(response.body),
            let text = pointer.value(in: document)?.text
        else { return false }
        return equals.contains(text)
    }
}

extension Response {
    /// What the challenges say about the bearer token of the request, if anything.
    fileprivate var saysTokenHasEnded: Bool? {
        guard (400...499).contains(status.code) else { return nil }
        var response: Bool?
        for challenge in AuthenticationChallenge.all(in: headers) where challenge.scheme == "bearer" {
            switch challenge["error"] {
            case "invalid_token"?: return true
            case "insufficient_scope"?, "invalid_request"?: response = false
            default: break
            }
        }
        return response
    }
}
