public import FreshetCore
public import FreshetCrypto

/// Signs with a private key that need not be in this program: a `SigningKey`, a hardware module, or an agent.
public protocol Signer: Sendable {
    var algorithm: SigningKey.Algorithm { get }

    /// Emits the signature of `bytes`. For ES256 it is `r` and then `s`, 32 bytes each. Must not block. Source: RFC 7518
    /// section 3.4.
    func sign(_ bytes: [UInt8]) -> Single<[UInt8]>
}

extension SigningKey: Signer {
    public func sign(_ bytes: [UInt8]) -> Single<[UInt8]> {
        .deferred { .just(try self.signature(of: bytes)) }
    }
}
