public import FreshetAuth
import FreshetCore
import FreshetCrypto
public import FreshetHTTP
public import HTTPTypes

/// Demonstrates proof of possession: binds tokens to a key, and signs each request with it. Source: RFC 9449.
///
///     var authenticator = try OAuthAuthenticator(tokenURL: tokenURL, clientID: "app", client: client)
///     authenticator.proofOfPossession = DPoP()
///
/// The key belongs to the credential and is stored with it. Nonces are kept in memory, two for each origin: one for
/// token requests and one for resources, because a token endpoint and an API issue nonces of their own. The clock of a server
/// is learned from its `Date`, because the clocks of many machines are minutes off. Can be used from any thread.
public final class DPoP: ProofOfPossession {
    private struct State {
        var servers: [Origin: Server] = [:]
        /// The key that was read last. Nearly all requests use the same key.
        var key: (pem: String, SigningKey)?
    }

    private struct Server {
        /// The next nonce for resources. Source: RFC 9449 section 9.
        var nonce: String?
        /// The next nonce for token requests. Source: RFC 9449 section 8.
        var tokenNonce: String?
        /// How far the server's clock is ahead of this machine's, in seconds.
        var clockOffset = 0.0
        /// When the offset was learned, in seconds since 1970 on this machine's clock; `nil` if it never changed.
        var clockLearnedAt: Double?
    }

    /// The largest number of origins whose state is kept.
    private static let originLimit = 100
    /// How long after a clock was learned a response can refuse a proof that was made before, in seconds.
    private static let longestResponse = 60.0

    private let state = Locked(State())
    private let secondsSince1970: @Sendable () -> Double

    /// - Parameter secondsSince1970: this machine's wall clock.
    @preconcurrency
    public init(secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970) {
        self.secondsSince1970 = secondsSince1970
    }

    /// Creates a P-256 key, as PEM.
    public func newKey() throws -> String { try SigningKey.generateP256().pem }

    public func prove(_ request: inout Request, key pem: String, accessToken: String?) throws {
        let key = try signingKey(pem)
        let server = state.withLock { $0.servers[request.url.origin] } ?? Server()
        var claims: [String: JSONValue] = [
            "jti": .string(SecureRandom.text(16)), "htm": .string(request.method.rawValue),
            "htu": .string(request.url.withoutQuery),
            "iat": .number(JSONNumber((secondsSince1970() + server.clockOffset).rounded(.down))),
        ]
        if let accessToken { claims["ath"] = .string(Base64URL.encoded(Digest.sha256(accessToken.utf8))) }
        if let nonce = accessToken == nil ? server.tokenNonce : server.nonce { claims["nonce"] = .string(nonce) }
        let jwk = Dictionary(uniqueKeysWithValues: key.publicJWK.map { ($0.name, JSONValue.string($0.value)) })
        let token = try JSONWebToken(
            type: "dpop+jwt", header: ["jwk": .object(jwk)], claims: claims, algorithm: key.algorithm)
        request.headers[.dpop] = try token.signed(by: key)
        request.isResendable = false
    }

    private func signingKey(_ pem: String) throws -> SigningKey {
        if let known = state.withLock({ $0.key }), known.pem == pem { return known.1 }
        let key: SigningKey
        do {
            key = try SigningKey(pem: pem)
        } catch {
            throw HTTPClientError(
                .invalidRequest, phase: .preparing, message: "the key that the tokens are bound to can't be read",
                recoverySuggestion: .logInAgain, underlying: error, isUnsent: true)
        }
        state.withLock { $0.key = (pem, key) }
        return key
    }

    /// Whether the response demands a nonce, or refuses a proof that was made before the server's clock was known. A token endpoint
    /// says so in its body with a 400 (section 8), a resource in its challenge with a 401 (section 9). Keycloak's token endpoint
    /// refuses an untimely proof with `invalid_request`.
    public func isDemanded(by response: Response) -> Bool {
        guard [400, 401].contains(response.status.code) else { return false }
        let error = OAuthErrorCode(response)
        let errors =
            AuthenticationChallenge.all(in: response.headers).filter { $0.scheme == "dpop" }
            .compactMap { $0["error"].map(OAuthErrorCode.init) } + (error.map { [$0] } ?? [])
        if response.headers[.dpopNonce] != nil, errors.contains(.useDPoPNonce) { return true }
        return (errors.contains(.invalidDPoPProof) || error == .invalidRequest) && hasNewClock(response.url.origin)
    }

    private func hasNewClock(_ origin: Origin) -> Bool {
        guard let learnedAt = state.withLock({ $0.servers[origin]?.clockLearnedAt }) else { return false }
        return (0..<Self.longestResponse).contains(secondsSince1970() - learnedAt)
    }

    /// Records the nonce and the clock of the server. Any response can have the next nonce (section 8.2). The date of a response
    /// with an `Age` is that of a cache's entry, not the time.
    public func received(_ head: HTTPResponse, from origin: Origin, isTokenEndpoint: Bool) {
        let nonce = head.headerFields[.dpopNonce]
        let isStored = head.headerFields[.age] != nil
        let date = isStored ? nil : head.headerFields[.date].flatMap { HTTPDate.secondsSince1970($0) }
        guard nonce != nil || date != nil else { return }
        let now = secondsSince1970()
        state.withLock { state in
            var server = state.servers[origin] ?? Server()
            if isTokenEndpoint {
                server.tokenNonce = nonce ?? server.tokenNonce
            } else {
                server.nonce = nonce ?? server.nonce
            }
            // `Date` has whole seconds, so a difference below 2 s is ignored.
            if let date {
                let offset = abs(Double(date) - now) < 2 ? 0 : Double(date) - now
                if abs(offset - server.clockOffset) >= 2 { server.clockLearnedAt = now }
                server.clockOffset = offset
            }
            if state.servers[origin] == nil, state.servers.count >= Self.originLimit { state.servers.removeAll() }
            state.servers[origin] = server
        }
    }
}

extension HTTPField.Name {
    static let dpop = HTTPField.Name("DPoP")!
    static let dpopNonce = HTTPField.Name("DPoP-Nonce")!
}

extension RequestURL {
    /// The URL as a proof names it, without query and fragment. Source: RFC 9449 section 4.2.
    fileprivate var withoutQuery: String {
        "\(origin)\(path)"
    }
}
