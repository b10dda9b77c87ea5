import FreshetCore
import FreshetHTTP
import HTTPTypes

/// Revokes tokens at an authorization server. Source: RFC 7009.
struct OAuthRevocation: Sendable {
    private let url: RequestURL
    private let oauth: OAuthClient
    private let client: HTTPClient

    /// - Parameter client: sends the requests. It retries at most twice, and obeys the server's `Retry-After`.
    init(
        at url: RequestURL, by oauth: OAuthClient, over client: HTTPClient,
        secondsSince1970: @escaping @Sendable () -> Double
    ) {
        self.url = url
        self.oauth = oauth
        // After a 503 the token still works, and the client has to retry after Retry-After (section 2.2.1).
        let policy = RetryPolicy(limit: 2, secondsSince1970: secondsSince1970)
        self.client = RefreshExchange.plain(client, interceptors: [policy])
    }

    /// Revokes the refresh token first, because a server should then revoke the access tokens of its grant. Revokes the access
    /// token in any case if it is known, because not every server does that. Fails with the first failure.
    func revoke(_ credential: Credential, headers: HTTPFields) -> Completable {
        let refresh = credential.refreshToken.map { revoke($0, "refresh_token", headers) }
        // If a server cannot revoke access tokens, they expire on their own, so this counts as success.
        let access =
            credential.hasAccessToken
            ? revoke(credential.accessToken, "access_token", headers, tolerating: [.unsupportedTokenType]) : .just(nil)
        let both = refresh?.flatMap { failure in access.map { failure ?? $0 } } ?? access
        return both.flatMapCompletable { $0.map(Completable.error) ?? .empty() }
    }

    /// Emits the error, or `nil` after a success.
    private func revoke(
        _ token: String, _ hint: String, _ headers: HTTPFields, tolerating tolerated: Set<OAuthErrorCode> = []
    ) -> Single<(any Error)?> {
        let fields = [(name: "token", value: token), (name: "token_type_hint", value: hint)]
        return oauth.send({ _ in .just(fields) }, headers: headers, to: url, over: client).map {
            response -> (any Error)? in
            // A server responds with 200 to an unknown token, which counts as revoked (section 2.2). Others respond with
            // `invalid_token`, also to an access token that they have just revoked together with its refresh token.
            if (200..<300).contains(response.status.code) { return nil }
            if let code = OAuthErrorCode(response), code == .invalidToken || tolerated.contains(code) { return nil }
            return HTTPClientError(
                .status, phase: .receiving, origin: url.origin.description,
                message: "the revocation endpoint \(url.redacted) responded with \(response.statusAndError); "
                    + "the \(hint.replacing("_", with: " ")) works on until it ends",
                response: response)
        }.catch { .just($0) }
    }
}
