import Freshet

/// Asks for the metadata of the authorization server when a refresh first needs it, so that valid tokens need no such server.
struct DiscoveringAuthenticator: Authenticator {
    let placement: CredentialPlacement
    let expired: ExpiryRule
    let needsLogin: Bool
    private let proof: DPoP?
    /// Places the credential without a proof.
    private let plain: ClosureAuthenticator
    private let found = Locked<OAuthAuthenticator?>(nil)
    private let find: @Sendable () -> Single<OAuthAuthenticator>

    /// - Parameters:
    ///   - proof: proves the possession of the key of bound tokens, also for the authenticator that is found.
    ///   - find: finds the server.
    init(
        placement: CredentialPlacement, expired: ExpiryRule, needsLogin: Bool, proof: DPoP?,
        find: @escaping @Sendable () -> Single<OAuthAuthenticator>
    ) {
        self.placement = placement
        self.expired = expired
        self.needsLogin = needsLogin
        self.proof = proof
        plain = ClosureAuthenticator(placement: placement, expired: expired) { _ in .never() }
        self.find = find
    }

    private var authenticator: Single<OAuthAuthenticator> {
        .deferred {
            if let known = found.withLock({ $0 }) { return .just(known) }
            return find().do(onSuccess: { authenticator in found.withLock { $0 = authenticator } })
        }
    }

    func refresh(_ credential: Credential?) -> Single<Credential> {
        if needsLogin, credential?.refreshToken == nil { return .error(RefreshRefusal("there is no refresh token")) }
        return authenticator.flatMap { $0.refresh(credential) }
    }

    func revoke(_ credential: Credential) -> Completable {
        authenticator.flatMapCompletable { $0.revoke(credential) }
    }

    func apply(_ credential: Credential, to request: Request) -> Request {
        var request = plain.apply(credential, to: request)
        if let proof, let key = credential.details.proofKey {
            // Without a proof the server refuses the request and states the reason.
            try? proof.prove(&request, key: key, accessToken: credential.accessToken)
        }
        return request
    }

    func canApply(_ credential: Credential) -> Bool { proof != nil || plain.canApply(credential) }

    func demandsNewProof(_ response: Response) -> Bool {
        OAuthErrorCode(response) != .invalidRequest && proof?.isDemanded(by: response) ?? false
    }

    func received(_ head: HTTPResponse, from origin: Origin) {
        proof?.received(head, from: origin, isTokenEndpoint: false)
    }
}
