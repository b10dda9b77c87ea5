import FoundationEssentials
import FreshetCrypto
import FreshetHTTP
import HTTPTypes

/// The head file of a response: JSON behind its authentication code under the folder's key. It contains no secret: the values
/// that selected the response are hashes, and fields such as `Set-Cookie` are encrypted.
enum CacheHead {
    private static let limit = 1 << 20

    private struct Record: Codable {
        var status: Int
        var reason: String
        var fields: [[String]]
        var requestTime: Double
        var responseTime: Double
        var selectors: [String: String?]
        var bodyLength: Int
    }

    /// Reads a head file; `nil` if it is not there or damaged.
    static func response(_ id: String, at path: String, key: [UInt8]) -> CachedResponse? {
        guard let bytes = try? File.content(of: path, limit: limit),
            let json = try? SealedBox.open(bytes, with: key, header: Array(id.utf8)),
            let record = try? JSONDecoder().decode(Record.self, from: Data(json))
        else { return nil }
        var fields = HTTPFields()
        for field in record.fields {
            guard field.count >= 2, let name = HTTPField.Name(field[0]) else { return nil }
            fields.append(
                field.count == 2
                    ? HTTPField(name: name, value: field[1])
                    : HTTPField(name: name, value: Data(base64Encoded: field[2]) ?? Data()))
        }
        return CachedResponse(
            id: id,
            head: HTTPResponse(status: .init(code: record.status, reasonPhrase: record.reason), headerFields: fields),
            requestTime: record.requestTime, responseTime: record.responseTime, selectors: record.selectors,
            bodyLength: record.bodyLength)
    }

    /// The name and the value of a field, and its bytes if they are not UTF-8.
    private static func texts(of field: HTTPField) -> [String] {
        field.withUnsafeBytesOfValue { bytes in
            let texts = [field.name.rawName, field.value]
            return String(validating: bytes, as: UTF8.self) == nil ? texts + [Data(bytes).base64EncodedString()] : texts
        }
    }

    static func encoded(_ response: CachedResponse, with key: [UInt8]) throws -> [UInt8] {
        let record = Record(
            status: response.head.status.code, reason: response.head.status.reasonPhrase,
            fields: response.head.headerFields.map(texts),
            requestTime: response.requestTime, responseTime: response.responseTime, selectors: response.selectors,
            bodyLength: response.bodyLength)
        return try SealedBox.seal(Array(JSONEncoder().encode(record)), with: key, header: Array(response.id.utf8))
    }
}
