import CFreshetSystem
import FreshetAuth
import FreshetCore
import FreshetCrypto
import Glibc

/// A key in the kernel's keyring of this user. It is lost when the machine stops, or earlier if its owner has set an expiry.
/// Source: keyrings(7).
public struct KeyringSealingKey: SealingKey {
    public let name: String
    private let description: String

    /// Held from the search for a key to its creation, because a second new key would replace the first.
    private static let creation = Locked(())

    /// - Parameter name: the description of the key, whose type is `user`.
    public init(name: String) {
        self.name = "keyring:\(name)"
        description = name
    }

    public func bytes(creating: Bool) throws -> [UInt8]? {
        if let found = try found() { return found }
        guard creating else { return nil }
        return try Self.creation.withLock { _ in
            if let found = try found() { return found }
            try KernelKeyring.write(SecureRandom.bytes(SealedBox.keyLength), as: description)
            // Another program can have replaced the key meanwhile.
            return try found()
        }
    }

    private func found() throws -> [UInt8]? {
        try KernelKeyring.read(description).map { try FileSealingKey.key(in: $0, named: name) }
    }
}

/// The system calls for keyrings, which the C library does not have.
enum KernelKeyring {
    private static let (session, user) = (Int32(-3), Int32(-4))

    /// Reads a key.
    ///
    /// - Returns: `nil` if there is no such key, or if it has expired or was revoked.
    static func read(_ description: String) throws -> [UInt8]? {
        // The keyring of a new session does not possess the user's keyring, and cannot read its keys without this link
        // (systemd#5522).
        _ = freshet_keyctl_link(user, session)
        for keyring in [session, user] {
            let found = freshet_keyctl_search(keyring, description)
            guard found >= 0 else {
                if isMissing(errno) { continue }
                throw failure("searched")
            }
            var payload = [UInt8](repeating: 0, count: 32_767)
            let count = freshet_keyctl_read(found, &payload, payload.count)
            if count >= 0 { return Array(payload[..<min(count, payload.count)]) }
            guard isMissing(errno) else { throw failure("read") }
        }
        return nil
    }

    static func write(_ payload: [UInt8], as description: String) throws {
        guard freshet_add_key(description, payload, payload.count, user) >= 0 else { throw failure("written") }
        _ = freshet_keyctl_link(user, session)
    }

    private static func isMissing(_ code: Int32) -> Bool {
        [ENOKEY, EKEYEXPIRED, EKEYREVOKED].contains(code)
    }

    private static func failure(_ action: String) -> StoreError {
        let reason = String(cString: strerror(errno))
        return StoreError(
            "the kernel's keyring can't be \(action): \(reason); containers often forbid it, so use another store there"
        )
    }
}
