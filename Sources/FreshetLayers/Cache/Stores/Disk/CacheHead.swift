import FoundationEssentials
import FreshetCrypto
import FreshetHTTP
import HTTPTypes

/// The head file of a response: JSON behind its authentication code under the folder's key. It contains no secret: the values
/// that selected the response are hashes, and fields such as `Set-Cookie` are encrypted.
struct CacheHead {
    private static let sealedFields: Set = [
        "set-cookie", "set-cookie2", "authentication-info", "dpop-nonce", "www-authenticate",
    ]
    private static let limit = 1 << 20

    private struct Record: Codable {
        var status: Int
        var reason: String
        var fields: [[String]]
        /// Encrypted, in base64.
        var secrets: String
        var requestTime: Double
        var responseTime: Double
        var selectors: [String: String?]
        var bodyLength: Int
        var bodyDigest: [UInt8]
    }

    var response: CachedResponse
    /// The digest of the body's pieces. Each piece is hashed together with the digest of those before it.
    var bodyDigest: [UInt8]

    init(_ response: CachedResponse, bodyDigest: [UInt8]) {
        self.response = response
        self.bodyDigest = bodyDigest
    }

    /// Reads a head file; `nil` if it is damaged.
    init?(_ bytes: [UInt8], id: String, key: [UInt8]) {
        guard bytes.count > 32,
            MessageAuthentication.hmacSHA256(bytes.dropFirst(32), with: key) == Array(bytes.prefix(32)),
            let record = try? JSONDecoder().decode(Record.self, from: Data(bytes.dropFirst(32))),
            let sealed = Data(base64Encoded: record.secrets),
            let opened = try? SealedBox.open(Array(sealed), with: key, header: Array(id.utf8)),
            let secrets = try? JSONDecoder().decode([[String]].self, from: Data(opened))
        else { return nil }
        var fields = HTTPFields()
        for field in record.fields + secrets {
            guard field.count == 2, let name = HTTPField.Name(field[0]) else { return nil }
            fields.append(HTTPField(name: name, value: field[1]))
        }
        response = CachedResponse(
            id: id,
            head: HTTPResponse(status: .init(code: record.status, reasonPhrase: record.reason), headerFields: fields),
            requestTime: record.requestTime, responseTime: record.responseTime, selectors: record.selectors,
            bodyLength: record.bodyLength)
        bodyDigest = record.bodyDigest
    }

    static func content(of path: String) -> [UInt8]? { try? File.content(of: path, limit: limit) }

    func encoded(with key: [UInt8]) throws -> [UInt8] {
        let pairs = response.head.headerFields.map { [$0.name.rawName, $0.value] }
        let isSecret: ([String]) -> Bool = { Self.sealedFields.contains($0[0].lowercased()) }
        let secrets = try JSONEncoder().encode(pairs.filter(isSecret))
        let sealed = try SealedBox.seal(Array(secrets), with: key, header: Array(response.id.utf8))
        let record = Record(
            status: response.head.status.code, reason: response.head.status.reasonPhrase,
            fields: pairs.filter { !isSecret($0) }, secrets: Data(sealed).base64EncodedString(),
            requestTime: response.requestTime, responseTime: response.responseTime, selectors: response.selectors,
            bodyLength: response.bodyLength, bodyDigest: bodyDigest)
        let json = try JSONEncoder().encode(record)
        return MessageAuthentication.hmacSHA256(json, with: key) + json
    }
}

/// The digest of a body, in pieces of 64 KiB.
struct BodyDigest {
    static let pieceSize = 65_536

    private(set) var digest = [UInt8](repeating: 0, count: 32)
    private var piece: [UInt8] = []

    mutating func add(_ bytes: [UInt8]) {
        piece += bytes
        while piece.count >= Self.pieceSize {
            digest = Digest.sha256(digest + piece.prefix(Self.pieceSize))
            piece.removeFirst(Self.pieceSize)
        }
    }

    mutating func finish() -> [UInt8] {
        if !piece.isEmpty { digest = Digest.sha256(digest + piece) }
        piece = []
        return digest
    }
}
