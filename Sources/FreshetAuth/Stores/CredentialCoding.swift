/// The form of a record in the file of a ``FileStore``. Its calls can block; nothing else runs on their scheduler meanwhile.
public protocol CredentialCoding: Sendable {
    /// The bytes of the file. Called with the lock held, before the file is replaced.
    ///
    /// - Throws: ``StoreError``.
    func encode(_ record: StoredCredential) throws -> [UInt8]

    /// The record in the bytes of the file.
    ///
    /// - Throws: ``StoreError`` if the bytes are none of ``encode(_:)``'s.
    func decode(_ bytes: [UInt8]) throws -> StoredCredential

    /// The record where there is no file; by default the empty one.
    func decodeMissing() throws -> StoredCredential
}

extension CredentialCoding {
    public func decodeMissing() throws -> StoredCredential { .empty }
}

/// A JSON object in one line, which other programs can read.
public struct JSONCredentialCoding: CredentialCoding {
    public init() {}

    public func encode(_ record: StoredCredential) throws -> [UInt8] {
        try record.json() + [UInt8(ascii: "\n")]
    }

    public func decode(_ bytes: [UInt8]) throws -> StoredCredential {
        guard let stored = StoredCredential(json: bytes) else {
            throw StoreError("it holds no JSON object of a credential; a login replaces it")
        }
        return stored
    }
}
