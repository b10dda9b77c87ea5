public import FreshetCore

/// An authenticator from a closure that refreshes and values for the rest: ten lines for a server of one's own.
public struct ClosureAuthenticator: Authenticator {
    public let placement: CredentialPlacement
    public let expired: ExpiryRule
    public let needsLogin: Bool
    private let renew: @Sendable (Credential?) -> Single<Credential>

    /// An authenticator that asks `refresh` for new credentials.
    ///
    /// - Parameters:
    ///   - placement: where in a request the credential goes.
    ///   - expired: which answers say that it has ended.
    ///   - needsLogin: see ``Authenticator/needsLogin``.
    ///   - refresh: see ``Authenticator/refresh(_:)``. What it sends must not go through the interceptor that this
    ///     serves, nor over a transport whose every place can be taken by requests that wait for it.
    @preconcurrency
    public init(
        placement: CredentialPlacement = .authorization(), expired: ExpiryRule = ExpiryRule(),
        needsLogin: Bool = true, refresh: @escaping @Sendable (Credential?) -> Single<Credential>
    ) {
        self.placement = placement
        self.expired = expired
        self.needsLogin = needsLogin
        renew = refresh
    }

    public func refresh(_ credential: Credential?) -> Single<Credential> { renew(credential) }
}
