import FoundationEssentials

extension StoredCredential {
    /// As a JSON object in one line: `access_token`, `refresh_token`, `expires_at`, `version`, and `login_required` after a
    /// refused refresh. The same in every store that other programs can read.
    ///
    /// Throws ``StoreError`` if a token holds what no header field can.
    ///
    /// - Parameter offset: how far the clock that `expires_at` is written on is ahead of this machine's, in seconds.
    public func json(clockAheadBy offset: Double = 0) throws -> [UInt8] {
        guard credential?.isSendable ?? true else { throw StoreError.unsendable }
        return try CredentialRecord(self, offset: offset).bytes
    }

    /// What such an object holds; `nil` if `json` is none, or its tokens could not be sent.
    public init?(json: [UInt8], clockAheadBy offset: Double = 0) {
        guard let stored = CredentialRecord.stored(in: json, offset: offset) else { return nil }
        self = stored
    }
}

private struct CredentialRecord: Codable {
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

    init(_ stored: StoredCredential, offset: Double = 0) {
        accessToken = stored.credential?.accessToken
        refreshToken = stored.credential?.refreshToken
        expiresAt = stored.credential?.expiresAt.map { $0 + offset }
        version = stored.version
        needsLogin = stored.isRefused ? true : nil
    }

    static func stored(in bytes: [UInt8], offset: Double = 0) -> StoredCredential? {
        guard let record = try? JSONDecoder().decode(CredentialRecord.self, from: Data(bytes)) else { return nil }
        let credential = record.accessToken.map {
            Credential(
                accessToken: $0, refreshToken: record.refreshToken, expiresAt: record.expiresAt.map { $0 - offset })
        }
        guard credential?.isSendable ?? true else { return nil }
        return StoredCredential(
            credential: credential, version: record.version ?? 0, isRefused: record.needsLogin ?? false)
    }

    var bytes: [UInt8] {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Array(try encoder.encode(self))
        }
    }
}
