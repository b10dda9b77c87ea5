import FoundationEssentials

/// What is in the file of a ``FileStore``.
struct CredentialFileRecord: Codable {
    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case expiresAt = "expires_at"
        case version
        case needsLogin = "login_required"
    }

    var accessToken: String?
    var refreshToken: String?
    var expiresAt: Double?
    var version: Int?
    var needsLogin: Bool?

    init(_ stored: StoredCredential) {
        accessToken = stored.credential?.accessToken
        refreshToken = stored.credential?.refreshToken
        expiresAt = stored.credential?.expiresAt
        version = stored.version
        needsLogin = stored.isRefused ? true : nil
    }

    var stored: StoredCredential {
        StoredCredential(
            credential: accessToken.map {
                Credential(accessToken: $0, refreshToken: refreshToken, expiresAt: expiresAt)
            }, version: version ?? 0, isRefused: needsLogin ?? false)
    }

    /// One line of JSON, its members in order.
    var bytes: [UInt8] {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
        }
    }
}
