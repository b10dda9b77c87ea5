import Freshet

/// The state of a stored credential, which can be shown without its tokens.
enum CredentialState: String {
    case valid
    /// The credential is refreshed before its next use, or soon.
    case expiring
    case expired
    /// The refresh was refused.
    case loginRequired = "login_required"
    case empty

    /// - Parameter window: how many seconds before its expiry a credential is expiring.
    init(of stored: StoredCredential, at secondsSince1970: Double, window: Double) {
        if stored.isRefused {
            self = .loginRequired
        } else if let credential = stored.credential {
            let isExpiring = credential.isExpired(at: secondsSince1970 + window)
            self = credential.isExpired(at: secondsSince1970) ? .expired : isExpiring ? .expiring : .valid
        } else {
            self = .empty
        }
    }
}

extension Profile {
    /// Whether a person logs in for the credential. Nobody does with the grant client_credentials.
    var needsLogin: Bool {
        if case .oauth(_, let grant, _)? = refresh?.call { grant.needsLogin } else { true }
    }

    /// Whether a request finds a valid credential, or can get one without a login.
    func serves(_ stored: StoredCredential, in state: CredentialState, at secondsSince1970: Double) -> Bool {
        switch state {
        case .valid, .expiring: true
        case .expired, .empty: canRefresh(stored.credential, at: secondsSince1970)
        case .loginRequired: false
        }
    }

    private func canRefresh(_ credential: Credential?, at secondsSince1970: Double) -> Bool {
        switch refresh?.call {
        case .oauth? where !needsLogin: true
        case .oauth?, .template?:
            credential?.refreshToken != nil
                && credential?.details.refreshExpiresAt.map { $0 <= secondsSince1970 } != true
        case nil: false
        }
    }
}
