public import FreshetCore

/// An authenticator that consists of a refresh closure and a few values. It suits a custom server that needs no authenticator
/// type of its own.
public struct ClosureAuthenticator: Authenticator {
    public let placement: CredentialPlacement
    public let expired: ExpiryRule
    public let needsLogin: Bool
    private let renew: @Sendable (Credential?) -> Single<Credential>

    /// Creates an authenticator that calls `refresh` for new credentials.
    ///
    /// - Parameters:
    ///   - placement: where in a request the credential is placed.
    ///   - expired: the rule for responses that report an expired credential.
    ///   - needsLogin: see ``Authenticator/needsLogin``.
    ///   - refresh: see ``Authenticator/refresh(_:)``. Its requests must not pass through the interceptor that uses this
    ///     authenticator. They must not use a transport whose connections can all be occupied by requests that wait for the
    ///     refresh.
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

    /// Whether the tokens are bound to no key, because requests get no proof of possession.
    public func canApply(_ credential: Credential) -> Bool { !credential.isBound }
}
