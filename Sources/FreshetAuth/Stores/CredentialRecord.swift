import FoundationEssentials
import FreshetHTTP

extension StoredCredential {
    /// Returns the record as a JSON object in one line: `access_token`, `refresh_token`, `expires_at`, `version`,
    /// `login_required` after a refused refresh, the ``CredentialDetails`` under the names of the token response, and
    /// ``foreignMembers``. All stores that other programs can read use this format.
    ///
    /// Leaves out ``CredentialDetails/extra`` if it is nested too deep to be written, because it must not cost the tokens. Throws
    /// ``StoreError`` if a token contains characters that a header field cannot hold.
    ///
    /// - Parameter offset: how far the clock of `expires_at` is ahead of this machine's clock, in seconds.
    public func json(clockAheadBy offset: Double = 0) throws -> [UInt8] {
        guard credential?.isSendable ?? true else { throw StoreError.unsendable }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(CredentialRecord(self, offset: offset)))
        } catch {
            var record = self
            record.credential?.details.extra = [:]
            return Array(try encoder.encode(CredentialRecord(record, offset: offset)))
        }
    }

    /// Reads a record from such an object; `nil` if `json` is not one, or if its tokens cannot be sent.
    public init?(json: [UInt8], clockAheadBy offset: Double = 0) {
        guard let record = try? JSONDecoder().decode(CredentialRecord.self, from: Data(json)) else { return nil }
        self = record.stored(offset: offset)
        guard credential?.isSendable ?? true else { return nil }
    }
}

private struct CredentialRecord {
    private enum Key: String, CaseIterable {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case expiresAt = "expires_at"
        case version
        case needsLogin = "login_required"
        case scope
        case idToken = "id_token"
        case refreshExpiresAt = "refresh_expires_at"
        case issuer
        case loginID = "login_id"
        case sessionID = "session_id"
        case proofKey = "dpop_key"
        case extra
    }

    private let stored: StoredCredential

    init(_ stored: StoredCredential, offset: Double) {
        var stored = stored
        stored.credential = stored.credential?.moved(by: offset)
        self.stored = stored
    }

    func stored(offset: Double) -> StoredCredential {
        var stored = stored
        stored.credential = stored.credential?.moved(by: -offset)
        return stored
    }
}

extension CredentialRecord: Codable {
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: MemberName.self)
        func member<Value: Decodable>(_ key: Key, _ type: Value.Type) throws -> Value? {
            try members.decodeIfPresent(type, forKey: MemberName(key.rawValue))
        }
        let refreshToken = try member(.refreshToken, String.self)
        var credential = refreshToken.map { Credential(refreshToken: $0) }
        if let accessToken = try member(.accessToken, String.self) {
            credential = Credential(
                accessToken: accessToken, refreshToken: refreshToken, expiresAt: try member(.expiresAt, Double.self))
        }
        if credential != nil {
            var details = CredentialDetails()
            // Another program may have a member of that name, here and where `try?` stands below. The members that tell whose
            // the tokens are and where they may be sent have to be readable.
            details.scope = try? member(.scope, String.self)
            details.idToken = try member(.idToken, String.self)
            details.refreshExpiresAt = try? member(.refreshExpiresAt, Double.self)
            details.issuer = try member(.issuer, String.self)
            details.loginID = try member(.loginID, String.self)
            details.sessionID = try? member(.sessionID, String.self)
            details.proofKey = try member(.proofKey, String.self)
            let extra = try? members.nestedContainer(keyedBy: MemberName.self, forKey: MemberName(Key.extra.rawValue))
            details.extra = extra.map { Self.values(in: $0, where: { _ in true }) } ?? [:]
            credential?.details = details
        }
        let known = Set(Key.allCases.map(\.rawValue))
        let foreign = Self.values(in: members) { !known.contains($0) }
        stored = StoredCredential(
            credential: credential, version: try member(.version, Int.self) ?? 0,
            isRefused: try member(.needsLogin, Bool.self) ?? false, foreignMembers: foreign)
    }

    /// Returns the members with the wanted names, without those that have a number that is too large.
    private static func values(
        in members: KeyedDecodingContainer<MemberName>, where isWanted: (String) -> Bool
    ) -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        for name in members.allKeys where isWanted(name.stringValue) {
            values[name.stringValue] = try? members.decode(JSONValue.self, forKey: name)
        }
        return values
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: MemberName.self)
        func write(_ key: Key, _ value: (some Encodable)?) throws {
            try members.encodeIfPresent(value, forKey: MemberName(key.rawValue))
        }
        for (name, value) in stored.foreignMembers { try members.encode(value, forKey: MemberName(name)) }
        try write(.version, stored.version)
        try write(.needsLogin, stored.isRefused ? true : nil)
        guard let credential = stored.credential else { return }
        try write(.accessToken, credential.accessToken)
        try write(.refreshToken, credential.refreshToken)
        try write(.expiresAt, credential.expiresAt)
        let details = credential.details
        try write(.scope, details.scope)
        try write(.idToken, details.idToken)
        try write(.refreshExpiresAt, details.refreshExpiresAt)
        try write(.issuer, details.issuer)
        try write(.loginID, details.loginID)
        try write(.sessionID, details.sessionID)
        try write(.proofKey, details.proofKey)
        try write(.extra, details.extra.isEmpty ? nil : details.extra)
    }
}

private struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) {
        stringValue = name
    }

    init?(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) { nil }
}

extension Credential {
    /// Returns the credential with its expiry times moved by `seconds`.
    fileprivate func moved(by seconds: Double) -> Credential {
        if seconds == 0 { return self }
        var credential = self
        credential.expiresAt = expiresAt.map { $0 + seconds }
        if let end = details.refreshExpiresAt { credential.details.refreshExpiresAt = end + seconds }
        return credential
    }
}
