/// The format of a record in the file of a ``FileStore``. Its calls may block. Nothing else runs on their scheduler in the
/// meantime.
public protocol CredentialCoding: Sendable {
    /// The name of the place where the record is, if that is not the file. Errors name it. By default `nil`.
    var location: String? { get }

    /// Returns the bytes of the file. Called with the lock held, before the file is replaced.
    ///
    /// - Throws: ``StoreError``.
    func encode(_ record: StoredCredential) throws -> [UInt8]

    /// Returns the record in the bytes of the file.
    ///
    /// - Throws: ``StoreError`` if ``encode(_:)`` did not create the bytes.
    func decode(_ bytes: [UInt8]) throws -> StoredCredential

    /// Returns the record of a missing file; by default the empty one.
    func decodeMissing() throws -> StoredCredential

    /// Returns the coding for one transaction under the store's lock; by default this one. A coding with a key reads the key here
    /// and keeps it: a refresh token that was spent could not be replaced if the key was lost in the meantime.
    ///
    /// - Throws: ``StoreError`` if nothing could be written.
    func forTransaction() throws -> any CredentialCoding
}

extension CredentialCoding {
    public var location: String? { nil }
    public func decodeMissing() throws -> StoredCredential { .empty }
    public func forTransaction() throws -> any CredentialCoding { self }
}

/// Writes a JSON object in one line, which other programs can read.
public struct JSONCredentialCoding: CredentialCoding {
    public init() {}

    public func encode(_ record: StoredCredential) throws -> [UInt8] {
        try record.json() + [UInt8(ascii: "\n")]
    }

    public func decode(_ bytes: [UInt8]) throws -> StoredCredential {
        guard let stored = StoredCredential(json: bytes) else {
            throw StoreError(
                "it holds no JSON object of a credential; log in to replace it, or delete it", isUnreadableRecord: true)
        }
        return stored
    }
}
