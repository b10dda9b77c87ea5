/// The error of a call that libcrypto refused, or of malformed input.
public struct CryptoError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence about the failure and the next step. It never contains a secret.
    public var message: String

    public init(_ message: String) {
        self.message = message
    }

    public var description: String { message }
}
