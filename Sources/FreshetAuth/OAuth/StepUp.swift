public import FreshetHTTP
import HTTPTypes

/// A server demands another login: with more scopes, more strongly or more recently. No refresh brings that.
/// Source: RFC 6750 section 3.1, RFC 9470.
public struct StepUp: Sendable, Hashable {
    /// The scopes that the request needs; ask for them together with those of the last login.
    public var scopes: [String]
    /// The authentication context classes that the server accepts, the best first.
    public var acrValues: [String]
    /// How many seconds ago the login can have been at most.
    public var maxAge: Double?

    /// What `response` demands; `nil` if it demands no other login.
    public init?(_ response: Response) {
        guard [401, 403].contains(response.status.code) else { return nil }
        let demands: Set<OAuthErrorCode> = [.insufficientScope, .insufficientUserAuthentication]
        let challenge = AuthenticationChallenge.all(in: response.headers).first { challenge in
            challenge["error"].map { demands.contains(OAuthErrorCode(rawValue: $0)) } ?? false
        }
        guard let challenge else { return nil }
        scopes = challenge["scope"]?.split(separator: " ").map(String.init) ?? []
        acrValues = challenge["acr_values"]?.split(separator: " ").map(String.init) ?? []
        maxAge = challenge["max_age"].flatMap { Double($0) }
    }
}

/// What a request does whose response demands another login.
public enum StepUpPolicy: Sendable, Hashable {
    /// Its caller gets the response.
    case deliver
    /// It fails with an `HTTPClientError` of code `stepUpRequired`, which has the response.
    case fail
}

extension HTTPClientError {
    static func stepUpRequired(_ stepUp: StepUp, _ response: Response) -> HTTPClientError {
        // The server's texts are shown only if they are scopes (RFC 6749 section 3.3).
        let scopes = stepUp.scopes.filter { $0.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C } }
        let wish = scopes.isEmpty ? "a stronger or more recent login" : "the scopes \(scopes.joined(separator: " "))"
        return HTTPClientError(
            .stepUpRequired, phase: .receiving, origin: response.url.origin.description,
            message: "the server demands \(wish)", recoverySuggestion: .logInWithMore, response: response)
    }
}
