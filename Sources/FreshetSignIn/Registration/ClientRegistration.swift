import FreshetAuth
public import FreshetCore
public import FreshetHTTP
import HTTPTypes

/// Registers a client at an authorization server that does not know it. Source: RFC 7591 section 3.
///
/// Register with the redirect URI that the login sends. Register again when the server responds with `invalid_client`, because
/// servers delete clients.
public struct ClientRegistration: Sendable {
    private let client: HTTPClient
    private let allowsPlainHTTP: Bool
    private let initialAccessToken: String?

    /// - Parameters:
    ///   - client: sends the requests, without its interceptors and without following redirects.
    ///   - initialAccessToken: the token that a server requires if it registers known developers only.
    ///   - allowsPlainHTTP: whether the secret may be received over plain http from another machine.
    public init(client: HTTPClient, initialAccessToken: String? = nil, allowsPlainHTTP: Bool = false) {
        var configuration = client.configuration
        configuration.redirectLimit = 0
        configuration.maximumBodySize = 1 << 20
        self.client = client.with(interceptors: [], configuration: configuration)
        self.initialAccessToken = initialAccessToken
        self.allowsPlainHTTP = allowsPlainHTTP
    }

    /// Registers a client. Each subscription registers another one.
    ///
    /// Fails with an `HTTPClientError` of code `discovery` if the server has no registration endpoint or only one over plain
    /// http, `status` if the server refuses, or `protocol` for a response without an identifier.
    public func register(_ metadata: ClientMetadata, at server: AuthorizationServer) -> Single<RegisteredClient> {
        .deferred {
            guard let url = server.registrationEndpoint else {
                throw HTTPClientError.discovery("\(server.issuer) has no registration endpoint")
            }
            guard !url.origin.isExposed || allowsPlainHTTP else {
                throw HTTPClientError.discovery("its registration endpoint is plain http on another machine", at: url)
            }
            var request = Request(
                method: .post, url: url, headers: [.accept: "application/json", .contentType: "application/json"],
                body: .bytes(try metadata.document.encoded()))
            request.tags[PlacedSecrets.self] = PlacedSecrets(names: [], needsNewResponse: true)
            if let initialAccessToken { request.headers[.authorization] = "Bearer \(initialAccessToken)" }
            return client.send(request).map { response in
                guard (200..<300).contains(response.status.code) else { throw Self.refusal(response) }
                guard let document = try? JSONValue(response.body) else {
                    throw HTTPClientError.malformed("the registration's response is no JSON", from: url)
                }
                return try RegisteredClient(document, issuer: server.issuer)
            }
        }
    }

    private static func refusal(_ response: Response) -> HTTPClientError {
        let code = OAuthErrorCode(response).map { " (\($0))" } ?? ""
        return HTTPClientError(
            .status, phase: .receiving, origin: response.url.origin.description,
            message: "the registration endpoint responded with \(response.status.code)\(code)",
            recoverySuggestion: "register the client by hand, and give its identifier", response: response)
    }
}

extension ClientRegistration: CustomReflectable {
    /// Without the initial access token.
    public var customMirror: Mirror { Mirror(self, children: ["hasToken": initialAccessToken != nil]) }
}
