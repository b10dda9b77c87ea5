import FreshetCore
public import FreshetLoop
import HTTPTypes

/// A loopback server whose access tokens expire soon and whose refresh tokens are valid for one refresh. Tests use it
/// to cause the expiries that an app meets in production.
///
/// - `POST /token` is OAuth's token endpoint with the grants `refresh_token` and `client_credentials`.
/// - `POST /revoke` is OAuth's revocation endpoint.
/// - `POST /reissue` accepts `{"refreshToken": …}` and responds with `{"accessToken", "refreshToken", "expiresIn"}`.
/// - `GET /events` is a stream of numbered server-sent events that ends when its token expires.
/// - Every other path is a resource that requires an access token.
public final class TokenServer: Sendable {
    public let server: ScriptedServer
    private let service: TokenService

    /// - Parameters:
    ///   - loop: the loop that runs the server.
    ///   - rules: when tokens expire, and how the server reports that.
    ///   - configuration: the configuration of ``server``.
    ///   - resource: returns the response to a request with a valid token; by default the request's path as JSON.
    @preconcurrency
    public init(
        on loop: Loop, rules: Rules = Rules(), configuration: ScriptedServer.Configuration = .init(),
        resource: (@Sendable (RecordedRequest) -> ScriptedResponse)? = nil
    ) throws {
        service = TokenService(on: loop, rules: rules)
        server = try ScriptedServer(on: loop, configuration: configuration)
        // The routes retain the service but not the server, so that the server is released when nothing else retains it.
        let service = service
        server.route(.post, "/token") { service.token($0) }
        server.route(.post, "/reissue") { service.reissue($0) }
        server.route(.post, "/revoke") { service.revoke($0) }
        server.route(.get, "/events") { service.events($0) }
        server.route { request in
            service.use(request) { resource?(request) ?? .json("{\"path\":\"\(request.path.jsonEscaped)\"}") }
        }
    }

    public var rules: Rules { service.rules }

    /// The URL of the root without a slash at its end.
    public var url: String { server.url }
    public var tokenURL: String { url + "/token" }
    public var reissueURL: String { url + "/reissue" }
    public var revokeURL: String { url + "/revoke" }
    public var eventsURL: String { url + "/events" }

    /// The counts of accepted and rejected requests, refreshes, logins and streams so far.
    public var counts: Counts { service.ledger.withLock { $0.counts } }

    /// The requests, in order.
    public var requests: [RecordedRequest] { server.requests }

    /// Opens a session, as a login does.
    public func signIn() -> Tokens {
        service.signIn()
    }

    /// Expires all issued access tokens, and ends the event streams.
    public func expireTokens() {
        service.end { $0.expireAll() }
    }

    /// Ends all sessions at once, with their event streams. Their access and refresh tokens are no longer valid.
    public func revokeSessions() {
        service.end { $0.revokeAll() }
    }

    /// Sends `responses` to the next refreshes, one for each, and exchanges no tokens.
    public func scriptRefreshes(with responses: ScriptedResponse...) {
        service.refreshResponses.withLock { queue in
            for response in responses { queue.append(response) }
        }
    }

    /// Ends the server; see ``ScriptedServer/close()``.
    public func close() {
        server.close()
    }
}
