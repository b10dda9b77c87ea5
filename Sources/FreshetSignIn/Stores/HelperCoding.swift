public import FreshetAuth
import FreshetHTTP

/// Keeps the record in a credential helper of Docker (`docker-credential-NAME`), which gives access to Secret Service, `pass`
/// and others.
///
/// The file of the store only says that the helper has the record. Its lock is the lock of the store, because helpers have
/// none.
public struct HelperCoding: CredentialCoding {
    private let command: String
    private let server: String

    /// - Parameters:
    ///   - helper: the helper's name after `docker-credential-`.
    ///   - server: the URL under which the helper keeps the record.
    /// - Throws: `StoreError` if `helper` is not the name of a helper.
    public init(helper: String, server: String) throws {
        let isName = helper.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "_")
        }
        guard !helper.isEmpty, isName else {
            throw StoreError("the credential helper has no usable name; write helper:docker-credential-NAME")
        }
        command = "docker-credential-\(helper)"
        self.server = server
    }

    public func encode(_ record: StoredCredential) throws -> [UInt8] {
        let secret = String(decoding: try record.json(), as: UTF8.self)
        let entry = JSONValue.object([
            "ServerURL": .string(server), "Username": .string("freshet"), "Secret": .string(secret),
        ])
        // The record that it replaces can have a spent refresh token, so a shutdown waits for a while.
        let grace = HelperProcess.grace
        let result = try HelperProcess.run(
            command, "store", input: (try? entry.encoded()) ?? [], whenAwaited: grace)
        guard result.status == 0 else { throw failure("store", result) }
        // Some helpers truncate long records without an error.
        guard try read(whenAwaited: grace)?.json == Array(secret.utf8) else {
            throw StoreError("\(command) has not kept the whole record; use another store")
        }
        return Array("\(command) \(server)\n".utf8)
    }

    public func decode(_ bytes: [UInt8]) throws -> StoredCredential { try read()?.stored ?? .empty }

    public func decodeMissing() throws -> StoredCredential { try read()?.stored ?? .empty }

    /// Reads the record from the helper.
    ///
    /// - Parameter grace: how long the shutdown of a loop waits for the helper.
    /// - Returns: `nil` if the helper has no record.
    private func read(whenAwaited grace: Duration = .zero) throws -> (json: [UInt8], stored: StoredCredential)? {
        let result = try HelperProcess.run(command, "get", input: Array(server.utf8), whenAwaited: grace)
        guard result.status == 0 else {
            let output = String(decoding: result.output, as: UTF8.self)
            if output.contains("credentials not found") { return nil }
            throw failure("get", result)
        }
        guard case .object(let members)? = try? JSONValue(result.output), case .string(let secret)? = members["Secret"],
            let stored = StoredCredential(json: Array(secret.utf8))
        else {
            throw StoreError(
                "\(command) has returned no record; log in to replace it, or delete it", isUnreadableRecord: true)
        }
        return (Array(secret.utf8), stored)
    }

    private func failure(_ verb: String, _ result: HelperProcess.Result) -> StoreError {
        StoreError("\(command) \(verb) has failed with status \(result.status); run it by hand to see why")
    }
}
