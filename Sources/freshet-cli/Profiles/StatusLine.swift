import Freshet

/// The line that `status` and `login` print about a credential, without its tokens.
struct StatusLine {
    private let profile: Profile
    private let stored: StoredCredential
    private let state: CredentialState

    init(_ profile: Profile, _ stored: StoredCredential, _ state: CredentialState) {
        self.profile = profile
        self.stored = stored
        self.state = state
    }

    var text: String {
        var writer = JSONWriter()
        writer.object { write(into: &$0, withAll: false) }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// - Parameter withAll: whether unknown values are written too, as `null`.
    func write(into line: inout JSONWriter, withAll: Bool) {
        line.member("profile") { $0.string(profile.name) }
        line.member("store") { $0.string(profile.storeName) }
        line.member("state") { $0.string(state.rawValue) }
        let isUnknown = stored.credential?.hasAccessToken == false
        line.member("expires_at") { $0.seconds(isUnknown ? nil : stored.credential?.expiresAt) }
        line.member("version") { $0.number(stored.version) }
        let details = stored.credential?.details
        if withAll || details?.scope != nil {
            line.member("scope") { if let scope = details?.scope { $0.string(scope) } else { $0.null() } }
        }
        if withAll || details?.refreshExpiresAt != nil {
            line.member("refresh_expires_at") { $0.seconds(details?.refreshExpiresAt) }
        }
    }
}
