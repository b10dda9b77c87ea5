import FoundationEssentials

/// A stored credential as a JSON object, the same in every store that other programs can read.
package struct CredentialRecord: Codable {
    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case expiresAt = "expires_at"
        case version
        case needsLogin = "login_required"
    }

    private var accessToken: String?
    private var refreshToken: String?
    private var expiresAt: Double?
    private var version: Int?
    private var needsLogin: Bool?

    /// - Parameter offset: how far the clock of `expires_at` is ahead of this machine's, in seconds.
    package init(_ stored: StoredCredential, offset: Double = 0) {
        accessToken = stored.credential?.accessToken
        refreshToken = stored.credential?.refreshToken
        expiresAt = stored.credential?.expiresAt.map { $0 + offset }
        version = stored.version
        needsLogin = stored.isRefused ? true : nil
    }

    /// The credential in `bytes`; `nil` if they are no such object, or its tokens could not be sent.
    package static func stored(in bytes: [UInt8], offset: Double = 0) -> StoredCredential? {
        guard let record = try? JSONDecoder().decode(CredentialRecord.self, from: Data(bytes)) else { return nil }
        let credential = record.accessToken.map {
            Credential(
                accessToken: $0, refreshToken: record.refreshToken, expiresAt: record.expiresAt.map { $0 - offset })
        }
        guard credential?.isSendable ?? true else { return nil }
        return StoredCredential(
            credential: credential, version: record.version ?? 0, isRefused: record.needsLogin ?? false)
    }

    /// In one line, its members in order.
    package var bytes: [UInt8] {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Array(try encoder.encode(self))
        }
    }
}
