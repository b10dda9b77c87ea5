public import FreshetHTTP
import HTTPTypes

/// A server's demand for another login with more scopes, with a stronger method, or with a more recent one. No refresh
/// satisfies it. Source: RFC 6750 section 3.1, RFC 9470.
public struct StepUp: Sendable, Hashable {
    /// The scopes that the request needs. The next login asks for them together with the stored ones.
    public var scopes: [String]
    /// Whether the server demands more scopes. It need not say which.
    public var demandsScopes: Bool
    /// The authentication context classes that the server accepts, the best first.
    public var acrValues: [String]
    /// The largest accepted age of the login, in seconds.
    public var maxAge: Double?

    /// Reads the demand in `response`; `nil` if it demands no other login.
    public init?(_ response: Response) {
        guard [401, 403].contains(response.status.code) else { return nil }
        let demands: Set<OAuthErrorCode> = [.insufficientScope, .insufficientUserAuthentication]
        let challenge = AuthenticationChallenge.all(in: response.headers).first { challenge in
            challenge["error"].map { demands.contains(OAuthErrorCode(rawValue: $0)) } ?? false
        }
        guard let challenge else { return nil }
        demandsScopes = challenge["error"] == OAuthErrorCode.insufficientScope.rawValue
        scopes = challenge["scope"]?.split(separator: " ").map(String.init).filter(Self.isScope) ?? []
        acrValues = challenge["acr_values"]?.split(separator: " ").map(String.init) ?? []
        // The number of seconds has digits only (RFC 9470 section 3). `Double` would read `nan` and `0x10`, too, and many digits
        // as infinity.
        maxAge = challenge["max_age"].flatMap { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Double($0) : nil }
            .map { min($0, 1e10) }
    }
}

extension StepUp: CustomStringConvertible {
    public var description: String {
        if !scopes.isEmpty { return "the scopes \(scopes.joined(separator: " "))" }
        return demandsScopes ? "more scopes, and does not say which" : "a stronger or more recent login"
    }

    /// Whether `text` is a scope. Other text of a server is never shown. Source: RFC 6749 section 3.3.
    private static func isScope(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }
}

/// Selects the outcome of a request whose response demands another login.
public enum StepUpPolicy: Sendable, Hashable {
    /// The caller receives the response.
    case deliver
    /// The request fails with an `HTTPClientError` of code `stepUpRequired`, which has the response.
    case fail
    /// The request waits for a login within the bounds of ``RefreshGate/Settings/loginWait-swift.property``, and is then sent
    /// again, up to 4 times. If no login satisfies the demand, the request fails as with ``fail``.
    case wait
}

extension HTTPClientError {
    /// - Parameter needsLogin: see ``Authenticator/needsLogin``.
    static func stepUpRequired(_ stepUp: StepUp, _ response: Response, needsLogin: Bool) -> HTTPClientError {
        HTTPClientError(
            .stepUpRequired, phase: .receiving, origin: response.url.origin.description,
            message: "the server demands \(stepUp)",
            recoverySuggestion: needsLogin ? .logInWithMore : .requestMoreScopes,
            response: response)
    }
}
