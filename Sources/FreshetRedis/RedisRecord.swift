#if Redis
    import FreshetAuth

    /// The record at the key: the JSON object of a file store, except that `expires_at` is on the Redis server's clock.
    enum RedisRecord {
        private static let sizeLimit = 1 << 20

        /// - Parameter offset: how far the server's clock is ahead of this machine's, in seconds.
        /// - Throws: `StoreError` if other programs could not read the record.
        static func encode(_ stored: StoredCredential, offset: Double, at server: RedisServer, key: String) throws
            -> [UInt8]
        {
            guard let bytes = try? stored.json(clockAheadBy: offset), bytes.count <= sizeLimit else {
                throw StoreError(
                    "the tokens are too long or hold other characters than printable ASCII, so the credential store \(key) at"
                        + " \(server) does not take them; check what was given")
            }
            return bytes
        }

        /// - Parameter bytes: the bytes at the key; `nil` if there are none.
        static func decode(_ bytes: [UInt8]?, offset: Double, at server: RedisServer, key: String) throws
            -> StoredCredential
        {
            guard let bytes else { return .empty }
            guard bytes.count <= sizeLimit, let stored = StoredCredential(json: bytes, clockAheadBy: offset) else {
                throw StoreError(
                    "the credential store \(key) at \(server) holds no JSON object of a credential; log in to replace it, or delete it",
                    isUnreadableRecord: true)
            }
            return stored
        }
    }
#endif
