import FreshetCrypto

/// Binds an authorization code to the program that requested it. Source: RFC 7636.
struct PKCE: Sendable {
    /// 43 characters, which encode 32 random bytes.
    let verifier: String

    init() {
        self.init(verifier: SecureRandom.text(32))
    }

    init(verifier: String) {
        self.verifier = verifier
    }

    /// The challenge of the method `S256`.
    var challenge: String { Base64URL.encoded(Digest.sha256(verifier.utf8)) }
}
