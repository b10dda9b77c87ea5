import FreshetAuth
import FreshetCrypto
import FreshetHTTP

/// One login by browser: its authorization request, and the checks of its callback. Source: RFC 6749 section 4.1, RFC 9700.
///
/// Verifier and state exist only in memory and only for this login.
struct AuthorizationRequest: Sendable {
    let pkce = PKCE()
    let state = SecureRandom.text(32)
    let redirectURI: String
    let url: RequestURL
    private let issuer: String?
    private let namesIssuer: Bool

    init(
        to server: AuthorizationServer, clientID: String?, redirectURI: String, scope: LoginScope,
        keyThumbprint: String?
    )
        throws
    {
        guard let endpoint = server.authorizationEndpoint else {
            let name = server.issuer.isEmpty ? "the authorization server" : server.issuer
            throw HTTPClientError.discovery("\(name) has no authorization endpoint")
        }
        self.redirectURI = redirectURI
        issuer = server.issuer.isEmpty ? nil : server.issuer
        namesIssuer = server.namesIssuer
        var query: [(String, String)] = [("response_type", "code")]
        if let clientID { query.append(("client_id", clientID)) }
        query += [
            ("redirect_uri", redirectURI), ("state", state), ("code_challenge", pkce.challenge),
            ("code_challenge_method", "S256"),
        ]
        query += scope.fields.map { ($0.name, $0.value) }
        if let keyThumbprint { query.append(("dpop_jkt", keyThumbprint)) }
        let text = query.map { "\(RequestBody.formEncoded($0.0))=\(RequestBody.formEncoded($0.1))" }
        let separator = endpoint.pathAndQuery.contains("?") ? "&" : "?"
        url = try RequestURL(endpoint.absoluteString + separator + text.joined(separator: "&"))
    }

    /// The meaning of a callback for this login.
    enum Verdict: Sendable {
        /// The callback belongs to another login, or to none. The login keeps waiting.
        case ignored(String)
        case code(String)
        case failed(HTTPClientError)
    }

    func verdict(on callback: Callback) -> Verdict {
        guard callback.isUnambiguous else { return .ignored("a parameter occurs twice") }
        guard let state = callback["state"], Self.isSame(state, self.state) else {
            return .ignored("it does not have the state of this login")
        }
        // The issuer is checked first, because another server may have sent the callback (RFC 9207 section 2.4).
        switch (callback["iss"], issuer) {
        case (let named?, let issuer?) where !named.utf8.elementsEqual(issuer.utf8):
            return .failed(.issuerMismatch("the callback names another issuer than \(issuer)"))
        case (nil, _) where namesIssuer:
            return .failed(
                .issuerMismatch("the callback names no issuer, though \(issuer ?? "the server") says that each does"))
        default: break
        }
        if let error = callback["error"] {
            let code = OAuthErrorCode(rawValue: error)
            return .failed(
                HTTPClientError(
                    .accessDenied, phase: .waiting,
                    message: "the authorization server has refused the login: \(code)\(description(in: callback))",
                    recoverySuggestion: code.recoverySuggestion))
        }
        guard let code = callback["code"], !code.isEmpty else { return .ignored("it has no code") }
        return .code(code)
    }

    /// What the server says about an error, in quotation marks, with the characters that RFC 6749 section 4.1.2.1 allows.
    ///
    /// It is empty if it would show a part of the state, because errors stand in logs.
    private func description(in callback: Callback) -> String {
        let text = (callback["error_description"] ?? "").utf8.filter {
            (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        let state = Array(self.state.utf8)
        let hasPartOfState = state.indices.dropLast(7).contains { text.contains(state[$0..<($0 + 8)]) }
        guard !text.isEmpty, !hasPartOfState else { return "" }
        return ": \"\(String(decoding: text.prefix(200), as: UTF8.self))\""
    }

    /// Compares in constant time for texts of the same length, so that the state cannot be guessed byte by byte.
    private static func isSame(_ text: String, _ other: String) -> Bool {
        let (text, other) = (Array(text.utf8), Array(other.utf8))
        guard text.count == other.count else { return false }
        return zip(text, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension AuthorizationRequest: CustomReflectable {
    /// Without the verifier and the state.
    var customMirror: Mirror { Mirror(self, children: ["issuer": issuer as Any, "redirectURI": redirectURI]) }
}

/// The query of a callback.
public struct Callback: Sendable {
    private var parameters: [String: String] = [:]
    /// Whether each parameter occurs once. Source: RFC 6749 section 3.1.
    private(set) var isUnambiguous = true

    /// Reads a query.
    ///
    /// - Parameter query: the form-encoded query without the question mark.
    public init(query: some StringProtocol) {
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = RequestBody.formDecoded(parts[0]),
                let value = RequestBody.formDecoded(parts.count > 1 ? parts[1] : "")
            else { continue }
            if parameters.updateValue(value, forKey: name) != nil { isUnambiguous = false }
        }
    }

    subscript(name: String) -> String? { parameters[name] }
}

extension Callback: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Has the names of the parameters alone, because the code and the state are secrets.
    public var description: String { "Callback(\(parameters.keys.sorted().joined(separator: " ")))" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["parameters": parameters.keys.sorted()]) }
}
