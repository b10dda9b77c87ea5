public import FreshetAuth
import FreshetCore
import FreshetHTTP

/// Keeps the record in a credential helper of Docker (`docker-credential-NAME`), which gives access to Secret Service, `pass`
/// and others.
///
/// The file of the store only says that the helper has the record. Its lock is the lock of the store, because helpers have
/// none.
public struct HelperCoding: CredentialCoding {
    private let command: String
    private let server: String
    /// What the transaction has read last; `nil` outside of a transaction, and in one that has read nothing.
    private var read: Locked<EarlierRecord?>?

    /// The record that a write replaces.
    private enum EarlierRecord {
        /// The helper could not say whether it has one.
        case unknown
        /// The helper has none, or none that can be used.
        case missing
        case secret(String)
    }

    /// How long a write with its check lasts at most, and so does the restoration of the earlier record. A person may have to unlock
    /// a keyring first.
    private static let timeout = Duration.seconds(60)

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

    public func forTransaction() throws -> any CredentialCoding {
        var coding = self
        coding.read = Locked(nil)
        return coding
    }

    /// Writes the record to the helper.
    ///
    /// Some helpers truncate long records without an error, so the record is read back. A helper that has not kept all of it gets
    /// the earlier record back. A record that can't be read back counts as stored: the helper has reported no failure, and the
    /// refresh token of the earlier record can be spent.
    ///
    /// In a transaction that has read the record it lasts for at most two minutes. The shutdown of a loop waits for it for at most
    /// 5 seconds.
    public func encode(_ record: StoredCredential) throws -> [UInt8] {
        let secret = String(decoding: try record.json(), as: UTF8.self)
        let earlier = earlierRecord()
        // The record that is replaced can have a spent refresh token, so a shutdown waits for a while.
        var deadline = HelperProcess.Deadline(in: Self.timeout, whenAwaited: HelperProcess.grace)
        let found = try write(secret, until: &deadline)
        guard found == secret else {
            deadline.restart()
            let loss = restore(earlier, insteadOf: found, until: &deadline)
            throw StoreError("\(command) has not kept the whole record\(loss); use another store")
        }
        read?.withLock { $0 = .secret(secret) }
        return Array("\(command) \(server)\n".utf8)
    }

    public func decode(_ bytes: [UInt8]) throws -> StoredCredential { try decodeMissing() }

    public func decodeMissing() throws -> StoredCredential {
        read?.withLock { $0 = .unknown }
        var deadline = HelperProcess.Deadline(in: Self.timeout, whenAwaited: .zero)
        let output = try output(until: &deadline)
        read?.withLock { $0 = Self.earlierRecord(in: output) }
        guard let output else { return .empty }
        guard let stored = Self.secret(in: output).flatMap(Self.stored) else {
            throw StoreError(
                "\(command) has returned no record for \(server); log in to replace it, or erase it in the helper",
                isUnreadableRecord: true)
        }
        return stored
    }

    /// Returns what the transaction has read. If it has read nothing, the helper is asked, but for a moment only: the new record
    /// can be the only one with a token that is not spent, and nothing may delay it.
    private func earlierRecord() -> EarlierRecord {
        if let known = read?.withLock({ $0 }) { return known }
        var deadline = HelperProcess.Deadline(in: .seconds(5), whenAwaited: .zero)
        do {
            return Self.earlierRecord(in: try output(until: &deadline))
        } catch {
            return .unknown
        }
    }

    private static func earlierRecord(in output: [UInt8]?) -> EarlierRecord {
        guard let secret = output.flatMap(secret), stored(in: secret) != nil else { return .missing }
        return .secret(secret)
    }

    /// Writes a record to the helper, and reads it back.
    ///
    /// - Returns: what the helper has then; `secret` if it can't be read.
    private func write(_ secret: String, until deadline: inout HelperProcess.Deadline) throws -> String? {
        let entry = JSONValue.object([
            "ServerURL": .string(server), "Username": .string("freshet"), "Secret": .string(secret),
        ])
        let result = try HelperProcess.run(
            command, "store", input: (try? entry.encoded()) ?? [], until: &deadline)
        guard result.status == 0 else { throw failure("store", result) }
        do {
            return try output(until: &deadline).flatMap(Self.secret)
        } catch {
            return secret
        }
    }

    /// Gives the earlier record back to the helper, which has `found` instead of a new record. Without an earlier one, nothing is
    /// left of the new one.
    ///
    /// - Returns: the end of a sentence about the earlier record if that is lost.
    private func restore(
        _ earlier: EarlierRecord, insteadOf found: String?, until deadline: inout HelperProcess.Deadline
    ) -> String {
        switch earlier {
        case .secret(let secret) where secret == found: return ""
        case .secret(let secret):
            return (try? write(secret, until: &deadline)) == secret ? "" : ", and has lost the earlier one"
        // A whole record that is not the new one is the earlier one.
        case .unknown where found.flatMap(Self.stored) != nil: return ""
        case .unknown, .missing:
            _ = try? HelperProcess.run(command, "erase", input: Array(server.utf8), until: &deadline)
            if case .missing = earlier { return "" }
            return ", and may have lost the earlier one"
        }
    }

    /// Asks the helper for the record.
    ///
    /// - Returns: what the helper writes; `nil` if it has no record.
    private func output(until deadline: inout HelperProcess.Deadline) throws -> [UInt8]? {
        let result = try HelperProcess.run(command, "get", input: Array(server.utf8), until: &deadline)
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

    private static func stored(in secret: String) -> StoredCredential? { StoredCredential(json: Array(secret.utf8)) }

    private func failure(_ verb: String, _ result: HelperProcess.Result) -> StoreError {
        StoreError(
            "\(command) \(verb) has failed with status \(result.status) for \(server); run it by hand to see why")
    }
}
