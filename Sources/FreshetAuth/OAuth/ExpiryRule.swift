public import FreshetHTTP
import HTTPTypes

/// The rule by which a response reports that the credential of its request has expired. The first of these that applies
/// decides:
///
/// 1. A value in the JSON body or a closure matches: the credential has expired.
/// 2. A challenge of `WWW-Authenticate` with the scheme `Bearer` or `DPoP` has the `error` `invalid_token`: the credential has
///    expired.
/// 3. Such a challenge has an error that no refresh can resolve: the credential has not expired, whatever the status. The
///    errors are `insufficient_scope` and `invalid_request` (RFC 6750 section 3.1), `insufficient_user_authentication` (RFC
///    9470), `use_dpop_nonce` and `invalid_dpop_proof` (RFC 9449).
/// 4. The status is listed: the credential has expired, with or without a challenge.
public struct ExpiryRule: Sendable {
    /// A place in the JSON body of a response, and the values there that report an expired credential.
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
    /// Applies to responses with a status from 400 to 599.
    public var body: Body?
    /// Whether a challenge with `invalid_token` or `invalid_request` decides. The errors that no refresh can resolve count in
    /// any case. Challenges are read in responses with a status from 400 to 499.
    public var readsChallenges = true
    /// Decides by status, fields and the peeked part of the body. Applies to responses with a status from 400 up.
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
        if matchesContent(of: response) { return true }
        let errors = response.challengeErrors
        if readsChallenges, errors.contains(.invalidToken) { return true }
        if errors.contains(where: OAuthErrorCode.beyondRefresh.contains) { return false }
        if readsChallenges, errors.contains(.invalidRequest) { return false }
        return statuses.contains(response.status.code)
    }

    /// Whether ``body`` or ``predicate`` matches. Both are specific to one server.
    func matchesContent(of response: Response) -> Bool {
        body?.match(response) == true || predicate?(response) == true
    }
}

extension OAuthErrorCode {
    /// The errors of a challenge that a new access token of the same login does not satisfy.
    fileprivate static let beyondRefresh: Set<Self> = [
        .insufficientScope, .insufficientUserAuthentication, .useDPoPNonce, .invalidDPoPProof,
    ]
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
    /// The errors of the challenges for access tokens.
    fileprivate var challengeErrors: [OAuthErrorCode] {
        guard (400...499).contains(status.code) else { return [] }
        return AuthenticationChallenge.all(in: headers)
            .filter { ["bearer", "dpop"].contains($0.scheme) }
            .compactMap { $0["error"].map(OAuthErrorCode.init) }
    }
}
