import FreshetCore
import FreshetHTTP
import HTTPTypes

/// Tells an authorization server that tokens are not to work any more. Source: RFC 7009.
struct OAuthRevocation: Sendable {
    private let url: RequestURL
    private let oauth: OAuthClient
    private let client: HTTPClient

    /// - Parameter client: what it asks again, it does so as the server says with `Retry-After`, twice at most.
    init(
        at url: RequestURL, by oauth: OAuthClient, over client: HTTPClient,
        secondsSince1970: @escaping @Sendable () -> Double
    ) {
        self.url = url
        self.oauth = oauth
        // A 503 means that the token still works, and is to be asked again for after Retry-After (section 2.2.1).
        let policy = RetryPolicy(limit: 2, secondsSince1970: secondsSince1970)
        self.client = RefreshExchange.plain(client, interceptors: [policy])
    }

    /// The refresh token first, as a server is to end the access tokens of its grant with it; and the access token whatever
    /// came of that, as not every server does. The first failure is the one that is told.
    func revoke(_ credential: Credential) -> Completable {
        let refresh = credential.refreshToken.map { revoke($0, "refresh_token") }
        // A server that can't revoke access tokens lets them run out: nothing is left to be done.
        let access = revoke(credential.accessToken, "access_token", tolerating: .unsupportedTokenType)
        let both = refresh?.flatMap { failure in access.map { failure ?? $0 } } ?? access
        return both.flatMapCompletable { $0.map(Completable.error) ?? .empty() }
    }

    /// What went wrong, if anything did.
    private func revoke(
        _ token: String, _ hint: String, tolerating tolerated: OAuthErrorCode? = nil
    ) -> Single<(any Error)?> {
        let fields = [(name: "token", value: token), (name: "token_type_hint", value: hint)]
        return oauth.send(fields, to: url, over: client).map { response -> (any Error)? in
            // A token that the server does not know is as good as revoked, and answered with 200 (section 2.2).
            if (200..<300).contains(response.status.code) { return nil }
            if let tolerated, OAuthErrorCode(response) == tolerated { return nil }
            return HTTPClientError(
                .status, phase: .receiving, origin: url.origin.description,
                message: "the revocation endpoint \(url.redacted) answered \(response.told); "
                    + "the \(hint.replacing("_", with: " ")) works on until it ends",
                response: response)
        }.catch { .just($0) }
    }
}
