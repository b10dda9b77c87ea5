public import FreshetAuth
import FreshetCrypto

/// Encrypts the record with AES-256-GCM, with a random nonce for each write.
///
/// The file begins with a header: the name and the version of the format, and the name of the key. The header and the name of
/// the store are authenticated, so a record cannot be moved to another store. A key can get another name: the next write
/// replaces the name in the header.
public struct SealedCoding: CredentialCoding {
    private static let magic = Array("freshet-sealed-1\n".utf8)

    private var key: any SealingKey
    private let storeName: SealedName
    private let isEmptyWithoutKey: Bool

    /// - Parameters:
    ///   - key: the source of the key.
    ///   - storeName: the name of the store. The same name is needed to open the file.
    public init(key: any SealingKey, storeName: String) {
        self.init(key: key, name: .given(storeName))
    }

    /// - Parameter isEmptyWithoutKey: whether a store without its key is empty. A write then creates a new key, and the old
    ///   record is lost.
    init(key: any SealingKey, name: SealedName, isEmptyWithoutKey: Bool = false) {
        self.key = key
        storeName = name
        self.isEmptyWithoutKey = isEmptyWithoutKey
    }

    public func forTransaction() throws -> any CredentialCoding {
        guard let bytes = try key.bytes(creating: isEmptyWithoutKey) else { throw missing }
        var coding = self
        coding.key = KnownSealingKey(name: key.name, bytes: bytes)
        return coding
    }

    private var header: [UInt8] { Self.magic + Array(key.name.utf8) + [UInt8(ascii: "\n")] }

    public func encode(_ record: StoredCredential) throws -> [UInt8] {
        let json = try record.json()
        guard let bytes = try key.bytes(creating: isEmptyWithoutKey) else { throw missing }
        do {
            return header + (try SealedBox.seal(json, with: bytes, header: header + Array(storeName.text.utf8)))
        } catch {
            throw StoreError("the credential can't be encrypted: \(error)")
        }
    }

    public func decode(_ bytes: [UInt8]) throws -> StoredCredential {
        guard bytes.starts(with: Self.magic) else {
            throw StoreError("the file is no sealed credential store; check its path")
        }
        guard let header = header(of: bytes), bytes.count > header.count else {
            throw StoreError("the sealed store is damaged; if no copy is left, delete it, and log in again")
        }
        let isNamed = header == self.header
        guard let secret = try key.bytes(creating: false) else {
            guard isNamed else { throw sealedWithAnother(header, "is missing") }
            if isEmptyWithoutKey { return .empty }
            throw missing
        }
        let json: [UInt8]
        do {
            json = try SealedBox.open(
                Array(bytes.dropFirst(header.count)), with: secret, header: header + Array(storeName.text.utf8))
        } catch {
            guard isNamed else { throw sealedWithAnother(header, "does not open it") }
            if isEmptyWithoutKey { return .empty }
            throw StoreError(
                "the sealed credential store can't be opened: \(error); provide its key, or, if the file was moved or "
                    + "damaged, delete it, and log in again")
        }
        guard let stored = StoredCredential(json: json) else {
            throw StoreError("the sealed credential store holds no credential; delete it, and log in again")
        }
        return stored
    }

    /// The header of a file, which can have another name for the same key: its owner may have moved the key. Only the key can
    /// have sealed this header, so the name decides nothing.
    private func header(of bytes: [UInt8]) -> [UInt8]? {
        // A name can have a line break, which then does not end the header.
        if bytes.starts(with: header) { return header }
        return bytes.dropFirst(Self.magic.count).firstIndex(of: UInt8(ascii: "\n")).map { Array(bytes[...$0]) }
    }

    private func sealedWithAnother(_ header: [UInt8], _ problem: String) -> StoreError {
        // The name is from a file that may be damaged.
        let name = String(decoding: header.dropFirst(Self.magic.count).dropLast().prefix(256), as: UTF8.self)
            .filter { !$0.unicodeScalars.contains { $0.properties.generalCategory == .control } }
        return StoreError(
            "the store is sealed with the key \(name), and the key \(key.name) \(problem); name the key that sealed it, "
                + "or, if the file was moved or damaged, delete it, and log in again")
    }

    public func decodeMissing() throws -> StoredCredential {
        guard try key.bytes(creating: false) != nil || isEmptyWithoutKey else { throw missing }
        return .empty
    }

    private var missing: StoreError {
        StoreError("the key \(key.name) of the sealed credential store is missing; provide it, no new one is made")
    }
}
