import FreshetCore
public import FreshetLoop
import HTTPTypes

/// A loopback server whose access tokens end soon, and whose refresh tokens are good for one refresh: what an app's
/// requests meet in production, at will.
///
/// - `POST /token` is OAuth's token endpoint with the grants `refresh_token` and `client_credentials`, `POST /revoke` its
///   revocation; `POST /reissue` takes `{"refreshToken": …}` and answers `{"accessToken", "refreshToken", "expiresIn"}`.
/// - `GET /events` is a stream of numbered server-sent events that ends when its token does.
/// - Everything else is a resource that wants an access token.
public final class TokenServer: Sendable {
    public let server: ScriptedServer
    private let service: TokenService

    /// - Parameters:
    ///   - loop: what it runs on.
    ///   - rules: when tokens end, and how that is said.
    ///   - configuration: the server's own.
    ///   - resource: the answer to a request with a working token; by default its path as JSON.
    public init(
        on loop: Loop, rules: Rules = Rules(), configuration: ScriptedServer.Configuration = .init(),
        resource: (@Sendable (RecordedRequest) -> ScriptedResponse)? = nil
    ) throws {
        service = TokenService(on: loop, rules: rules)
        server = try ScriptedServer(on: loop, configuration: configuration)
        // The routes hold the service and not the server, so that it goes when nobody holds it.
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

    /// The address of the root without a slash at its end.
    public var url: String { server.url }
    public var tokenURL: String { url + "/token" }
    public var reissueURL: String { url + "/reissue" }
    public var revokeURL: String { url + "/revoke" }
    public var eventsURL: String { url + "/events" }

    /// What has happened so far.
    public var counts: Counts { service.ledger.withLock { $0.counts } }

    /// What was asked, in order.
    public var requests: [RecordedRequest] { server.requests }

    /// Opens a session, as a login does.
    public func signIn() -> Tokens {
        service.signIn()
    }

    /// Ends all access tokens that are out, now.
    public func expireTokens() {
        service.end { $0.expireAll() }
    }

    /// Ends all sessions, now: access and refresh tokens work no more.
    public func revokeSessions() {
        service.end { $0.revokeAll() }
    }

    /// Answers the next refreshes with these, one each, and exchanges nothing.
    public func scriptRefreshes(with responses: ScriptedResponse...) {
        service.refreshResponses.withLock { $0 += responses }
    }

    /// See ``ScriptedServer/close()``.
    public func close() {
        server.close()
    }
}
