import FreshetAuth
import FreshetCrypto
import Glibc

/// A key of 32 bytes for a ``SealedCoding``. It is read for each use. Its calls may block.
public protocol SealingKey: Sendable {
    /// The name of the key in error messages and in the sealed file. It is not a secret.
    var name: String { get }

    /// Returns the key; `nil` if there is none.
    ///
    /// - Parameter creating: whether a missing key is created.
    /// - Throws: `StoreError` if the key cannot be read or is malformed.
    func bytes(creating: Bool) throws -> [UInt8]?
}

/// A key in a file, as 32 bytes or as their base64 or hexadecimal digits. The user creates the file.
public struct FileSealingKey: SealingKey {
    public let name: String
    private let path: String

    /// - Parameter path: the path of the file, which only its owner can read.
    public init(path: String) {
        self.path = path
        name = "file:\(path)"
    }

    /// Creates a key from a credential that systemd has passed to a service.
    ///
    /// - Parameters:
    ///   - credential: its name, as in `LoadCredentialEncrypted=`.
    ///   - environment: the environment, with `CREDENTIALS_DIRECTORY`.
    /// - Throws: `StoreError` if the service has no credentials.
    public init(credential: String, environment: [String: String]) throws {
        guard let directory = environment["CREDENTIALS_DIRECTORY"], !directory.isEmpty else {
            throw StoreError("CREDENTIALS_DIRECTORY is not set, so there is no key credential:\(credential)")
        }
        path = "\(directory)/\(credential)"
        name = "credential:\(credential)"
    }

    public func bytes(creating: Bool) throws -> [UInt8]? {
        var file: Int32
        repeat { file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) } while file < 0 && errno == EINTR
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw unreadable
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError("the key \(name) is no file")
        }
        guard status.st_mode & S_IRWXO == 0 else {
            throw StoreError("everybody can read the key \(name); take that right away (chmod 600)")
        }
        return try Self.key(in: try text(of: file), named: name)
    }

    /// - Returns: the beginning of the file, which has room for a key and white space.
    private func text(of file: Int32) throws -> [UInt8] {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 256)
        while text.count < buffer.count {
            let count = read(file, &buffer, buffer.count - text.count)
            if count == 0 { break }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw unreadable
            }
            text += buffer[..<count]
        }
        return text
    }

    /// The error of the call that failed last.
    private var unreadable: StoreError {
        StoreError("the key \(name) can't be read: \(String(cString: strerror(errno)))")
    }

    /// - Throws: `StoreError` if `text` is no key of 32 bytes.
    static func key(in text: [UInt8], named name: String) throws -> [UInt8] {
        if text.count == SealedBox.keyLength { return text }
        let digits = String(decoding: text, as: UTF8.self).filter { !$0.isWhitespace }
        if digits.count == 64, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
            let bytes = Array(digits.utf8)
            return stride(from: 0, to: 64, by: 2).compactMap {
                UInt8(String(decoding: bytes[$0...$0 + 1], as: UTF8.self), radix: 16)
            }
        }
        let base64 = digits.replacing("+", with: "-").replacing("/", with: "_").prefix { $0 != "=" }
        if let bytes = Base64URL.decoded(base64), bytes.count == SealedBox.keyLength { return bytes }
        throw StoreError("the key \(name) is not 32 bytes, nor their base64 or hexadecimal digits")
    }
}

/// A key that was read.
struct KnownSealingKey: SealingKey {
    let name: String
    let bytes: [UInt8]

    func bytes(creating: Bool) -> [UInt8]? { bytes }
}
