import CFreshetCrypto

/// Hashes. Source: FIPS 180-4.
public enum Digest {
    /// Returns the SHA-256 hash of `bytes`, which has 32 bytes.
    public static func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let bytes = Array(bytes)
        return [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
            // It fails only where libcrypto was built without the algorithm.
            precondition(freshet_sha256(bytes, bytes.count, digest.baseAddress!) == 1, "libcrypto has no SHA-256")
            count = 32
        }
    }
}

/// Codes that only the owner of a key can make. Source: RFC 2104.
public enum MessageAuthentication {
    /// Returns the HMAC of `bytes` with SHA-256, which has 32 bytes.
    public static func hmacSHA256(_ bytes: some Sequence<UInt8>, with key: [UInt8]) -> [UInt8] {
        let bytes = Array(bytes)
        return [UInt8](unsafeUninitializedCapacity: 32) { code, count in
            precondition(
                freshet_hmac_sha256(key, key.count, bytes, bytes.count, code.baseAddress!) == 1,
                "libcrypto has no SHA-256")
            count = 32
        }
    }
}

/// Unpredictable random bytes from libcrypto's generator.
public enum SecureRandom {
    public static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            // Without randomness every secret could be guessed, so the program must stop.
            precondition(
                count == 0 || freshet_random(bytes.baseAddress!, count) == 1, "libcrypto has no random numbers")
            filled = count
        }
    }

    /// Returns `count` random bytes as base64url: 16 bytes make 22 characters, 32 make 43.
    public static func text(_ count: Int) -> String { Base64URL.encoded(bytes(count)) }
}
