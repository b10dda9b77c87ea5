public import FreshetCore
import HTTPTypes

extension Endpoint {
    /// The request for this call at `base`, whose path, if it has one, comes before the endpoint's.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest`.
    public func request(at base: String) throws -> Request {
        var url = base.hasSuffix("/") ? String(base.dropLast()) : base
        url += path.hasPrefix("/") || path.isEmpty ? path : "/" + path
        let query = query.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
        if !query.isEmpty { url += "?" + query }
        return try Request(method, url, headers: headers, body: body)
    }

    /// Percent-encodes all but RFC 3986's unreserved characters.
    private static func encoded(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.append(byte)
            default:
                result += Array((byte < 16 ? "%0" : "%").utf8) + Array(String(byte, radix: 16, uppercase: true).utf8)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension HTTPClient {
    /// Calls `endpoint` at `base` and decodes what it answers; a status outside of 200..<300 is an error.
    public func call<Call: Endpoint>(_ endpoint: Call, at base: String) -> Single<Call.Response> {
        do {
            return send(try endpoint.request(at: base)).validate().decode(Call.Response.self)
        } catch {
            return .error(error)
        }
    }
}
