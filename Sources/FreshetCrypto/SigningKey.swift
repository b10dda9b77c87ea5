import CFreshetCrypto
import Glibc

/// A private signing key: P-256 for ES256, or RSA for RS256. Source: RFC 7518 section 3.
///
/// It can be used from any thread. No description and no dump of it shows the key.
public final class SigningKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// The name of a signature algorithm in a JWT's header.
    public enum Algorithm: String, Sendable {
        case es256 = "ES256"
        case rs256 = "RS256"
    }

    public let algorithm: Algorithm
    // The key is immutable, and libcrypto counts its references atomically.
    private nonisolated(unsafe) let raw: OpaquePointer

    private init(_ raw: OpaquePointer) throws {
        switch freshet_key_kind(raw) {
        case FRESHET_KEY_P256: algorithm = .es256
        case FRESHET_KEY_RSA where (2048...8192).contains(freshet_key_bits(raw)) && Self.publicNumbers(of: raw) != nil:
            algorithm = .rs256
        default:
            freshet_key_free(raw)
            throw CryptoError(
                "the key is neither P-256 nor RSA of 2048 to 8192 bits with a public exponent of at most 64 bits")
        }
        self.raw = raw
    }

    deinit { freshet_key_free(raw) }

    /// Creates a P-256 key.
    public static func generateP256() throws -> SigningKey {
        guard let key = freshet_key_generate_p256() else { throw CryptoError("libcrypto has made no key") }
        return try SigningKey(key)
    }

    /// Reads the key in `pem`: PKCS #8, SEC 1 or PKCS #1, without a passphrase.
    ///
    /// - Throws: ``CryptoError`` if there is no such key.
    public convenience init(pem: String) throws {
        guard let key = freshet_key_from_pem(pem, pem.utf8.count) else {
            throw CryptoError("it is no private key in PEM without a passphrase; write one with openssl pkcs8 -nocrypt")
        }
        try self.init(key)
    }

    /// The key as PEM (PKCS #8). It is a secret.
    public var pem: String {
        // It fails only when memory is exhausted.
        guard let text = freshet_key_pem(raw) else { preconditionFailure("libcrypto does not write its own key") }
        defer { free(text) }
        return String(cString: text)
    }

    /// Signs `bytes` with ``algorithm``.
    public func signature(of bytes: [UInt8]) throws -> [UInt8] {
        var count = 1024
        var signature = [UInt8](repeating: 0, count: count)
        guard freshet_sign(raw, bytes, bytes.count, &signature, &count) == 1 else {
            throw CryptoError("libcrypto has signed nothing")
        }
        return Array(signature[..<count])
    }

    /// The public key: the required members of a JWK in lexicographic order. Source: RFC 7517, RFC 7638 section 3.2.
    public var publicJWK: [(name: String, value: String)] {
        switch algorithm {
        case .es256:
            var (x, y) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32))
            precondition(freshet_key_point(raw, &x, &y) == 1, "a P-256 key has a point")
            return [("crv", "P-256"), ("kty", "EC"), ("x", Base64URL.encoded(x)), ("y", Base64URL.encoded(y))]
        case .rs256:
            guard let (n, e) = Self.publicNumbers(of: raw) else { preconditionFailure("an RSA key has a modulus") }
            return [("e", Base64URL.encoded(e)), ("kty", "RSA"), ("n", Base64URL.encoded(n))]
        }
    }

    /// The modulus and the exponent of an RSA key; `nil` if the exponent has more than 64 bits, which few servers can read.
    private static func publicNumbers(of raw: OpaquePointer) -> (n: ArraySlice<UInt8>, e: ArraySlice<UInt8>)? {
        var (n, e) = ([UInt8](repeating: 0, count: 1024), [UInt8](repeating: 0, count: 8))
        var (nCount, eCount) = (n.count, e.count)
        guard freshet_key_modulus(raw, &n, &nCount, &e, &eCount) == 1 else { return nil }
        return (n[..<nCount], e[..<eCount])
    }

    /// The SHA-256 hash of the public key, as base64url. Source: RFC 7638.
    public var thumbprint: String {
        let json = "{" + publicJWK.map { "\"\($0.name)\":\"\($0.value)\"" }.joined(separator: ",") + "}"
        return Base64URL.encoded(Digest.sha256(json.utf8))
    }

    public var description: String { "SigningKey(\(algorithm.rawValue), \(thumbprint))" }
    public var customMirror: Mirror { Mirror(self, children: ["algorithm": algorithm]) }
}
