#if Redis
    import FreshetAuth
    import FoundationEssentials

    /// What is at the key: a JSON object as in a file store, but `expires_at` is on the Redis server's clock.
    struct RedisRecord: Codable {
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

        /// - Parameter offset: how far the server's clock is ahead of this machine's, in seconds.
        init(_ stored: StoredCredential, offset: Double) {
            accessToken = stored.credential?.accessToken
            refreshToken = stored.credential?.refreshToken
            expiresAt = stored.credential?.expiresAt.map { $0 + offset }
            version = stored.version
            needsLogin = stored.isRefused ? true : nil
        }

        /// - Throws: `StoreError`, where others could not read it.
        func encoded(at server: RedisServer, key: String) throws -> [UInt8] {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            guard isSendable, let data = try? encoder.encode(self), data.count <= Self.sizeLimit else {
                throw StoreError(
                    "the tokens are too long or hold other characters than printable ASCII, so the credential store \(key) at"
                        + " \(server) does not take them; check what was given")
            }
            return Array(data)
        }

        /// - Parameter bytes: what is at the key; `nil` if nothing is.
        static func stored(in bytes: [UInt8]?, offset: Double, at server: RedisServer, key: String) throws
            -> StoredCredential
        {
            guard let bytes else { return .empty }
            guard bytes.count <= sizeLimit, let record = try? JSONDecoder().decode(RedisRecord.self, from: Data(bytes)),
                record.isSendable
            else {
                throw StoreError(
                    "the credential store \(key) at \(server) holds no JSON object of a credential; a login replaces it"
                )
            }
            return StoredCredential(
                credential: record.accessToken.map {
                    Credential(
                        accessToken: $0, refreshToken: record.refreshToken,
                        expiresAt: record.expiresAt.map { $0 - offset })
                }, version: record.version ?? 0, isRefused: record.needsLogin ?? false)
        }

        private static let sizeLimit = 1 << 20

        private var isSendable: Bool {
            accessToken != ""
                && [accessToken ?? "", refreshToken ?? ""].allSatisfy {
                    $0.utf8.allSatisfy { (0x20...0x7E).contains($0) }
                }
        }
    }
#endif
