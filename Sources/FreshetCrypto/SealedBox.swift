import CFreshetCrypto

/// Authenticated encryption: AES-256-GCM with a random nonce for each message. Source: NIST SP 800-38D.
public enum SealedBox {
    /// The length that sealing adds to a message, in bytes: the nonce and the tag.
    public static let overhead = 12 + 16
    /// The length of a key in bytes.
    public static let keyLength = 32

    /// Encrypts `message`. Returns the nonce, the encrypted message and the tag.
    ///
    /// - Parameters:
    ///   - message: the message to encrypt.
    ///   - key: 32 bytes.
    ///   - header: authenticated data that is neither encrypted nor part of the result. The same header is needed to open the
    ///     message.
    public static func seal(_ message: [UInt8], with key: [UInt8], header: [UInt8]) throws -> [UInt8] {
        try check(key)
        let nonce = SecureRandom.bytes(12)
        var sealed = [UInt8](repeating: 0, count: message.count)
        var tag = [UInt8](repeating: 0, count: 16)
        guard
            freshet_aes_gcm_seal(key, nonce, header, header.count, message, message.count, &sealed, &tag) == 1
        else { throw CryptoError("libcrypto has encrypted nothing") }
        return nonce + sealed + tag
    }

    /// Decrypts a sealed message.
    ///
    /// - Throws: ``CryptoError`` if the key or the header differs, or if the bytes were changed.
    public static func open(_ box: [UInt8], with key: [UInt8], header: [UInt8]) throws -> [UInt8] {
        try check(key)
        guard box.count >= overhead else { throw CryptoError("the sealed message is truncated") }
        let nonce = Array(box.prefix(12))
        let sealed = Array(box.dropFirst(12).dropLast(16))
        var message = [UInt8](repeating: 0, count: sealed.count)
        guard
            freshet_aes_gcm_open(
                key, nonce, header, header.count, sealed, sealed.count, Array(box.suffix(16)), &message) == 1
        else { throw CryptoError("the key is another one, or the sealed message was changed") }
        return message
    }

    private static func check(_ key: [UInt8]) throws {
        guard key.count == keyLength else { throw CryptoError("a key has \(keyLength) bytes") }
    }
}
