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

    public var location: String? { "helper:\(command)" }

    /// Writes the record to the helper.
    ///
    /// Some helpers truncate long records without an error, so the record is read back. A helper that has not kept all of it gets
    /// the earlier record back. A record that can't be read back counts as stored: the helper has reported no failure, and the
    /// refresh token of the earlier record can be spent.
    public func encode(_ record: StoredCredential) throws -> [UInt8] {
        let earlier = try? output(whenAwaited: HelperProcess.grace)
        if try keeps(String(decoding: try record.json(), as: UTF8.self)) { return Array("\(command) \(server)\n".utf8) }
        var loss = ""
        if let earlier = earlier.flatMap(Self.secret) {
            if (try? keeps(earlier)) != true { loss = ", and has lost the earlier one" }
        } else {
            _ = try? HelperProcess.run(
                command, "erase", input: Array(server.utf8), whenAwaited: HelperProcess.grace)
        }
        throw StoreError("\(command) has not kept the whole record\(loss); use another store")
    }

    public func decode(_ bytes: [UInt8]) throws -> StoredCredential { try read() }

    public func decodeMissing() throws -> StoredCredential { try read() }

    private func read() throws -> StoredCredential {
        guard let output = try output() else { return .empty }
        guard let secret = Self.secret(in: output), let stored = StoredCredential(json: Array(secret.utf8)) else {
            throw StoreError(
                "\(command) has returned no record for \(server); log in to replace it, or erase it in the helper",
                isUnreadableRecord: true)
        }
        return stored
    }

    /// Writes a record to the helper, and reads it back.
    ///
    /// - Returns: `false` if the helper has another record then.
    private func keeps(_ secret: String) throws -> Bool {
        let entry = JSONValue.object([
            "ServerURL": .string(server), "Username": .string("freshet"), "Secret": .string(secret),
        ])
        // The record that is replaced can have a spent refresh token, so a shutdown waits for a while.
        let grace = HelperProcess.grace
        let result = try HelperProcess.run(
            command, "store", input: (try? entry.encoded()) ?? [], whenAwaited: grace)
        guard result.status == 0 else { throw failure("store", result) }
        do {
            return try output(whenAwaited: grace).flatMap(Self.secret) == secret
        } catch {
            return true
        }
    }

    /// Asks the helper for the record.
    ///
    /// - Parameter grace: how long the shutdown of a loop waits for the helper.
    /// - Returns: what the helper writes; `nil` if it has no record.
    private func output(whenAwaited grace: Duration = .zero) throws -> [UInt8]? {
        let result = try HelperProcess.run(command, "get", input: Array(server.utf8), whenAwaited: grace)
        guard result.status == 0 else {
            let output = String(decoding: result.output, as: UTF8.self)
            if output.contains("credentials not found") { return nil }
            throw failure("get", result)
        }
        return result.output
    }

    private static func secret(in output: [UInt8]) -> String? {
        guard case .object(let members)? = try? JSONValue(output), case .string(let secret)? = members["Secret"] else {
            return nil
        }
        return secret
    }

    private func failure(_ verb: String, _ result: HelperProcess.Result) -> StoreError {
        StoreError(
            "\(command) \(verb) has failed with status \(result.status) for \(server); run it by hand to see why")
    }
}
