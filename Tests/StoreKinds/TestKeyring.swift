import CFreshetSystem
import Foundation
import FreshetSignIn

/// A name in the kernel's keyring that no other test uses.
public struct TestKeyring: Sendable {
    /// The name of a key for a sealed store, and of a store in the keyring.
    public let name = "freshet-test-\(UUID())"

    /// - Throws: an error if the kernel forbids the keyring, as in some containers.
    public init() throws {
        _ = try KeyringSealingKey(name: name).bytes(creating: false)
    }

    /// Removes the keys, which would otherwise stay until the machine restarts.
    public func remove() {
        typealias Unlink = @convention(c) (Int, Int, Int, Int) -> Int
        let (user, unlink) = (-4, 9)
        // The C library's function is variadic, so that Swift does not import it.
        guard let symbol = dlsym(nil, "syscall") else { return }
        for description in [name, "freshet:\(name)"] {
            let key = freshet_keyctl_search(Int32(user), description)
            if key > 0 { _ = unsafeBitCast(symbol, to: Unlink.self)(Int(SYS_keyctl), unlink, key, user) }
        }
    }
}
