public import FreshetCore
import HTTPTypes

extension Endpoint {
    /// The request for this call at `base`, whose path, if it has one, comes before the endpoint's. What a path or a query
    /// cannot hold is percent-encoded; a percent sign in `path` is left alone, for it may have been encoded already.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest`, also if `base` has a query.
    public func request(at base: String) throws -> Request {
        let base = try RequestURL(base)
        guard !base.pathAndQuery.utf8.contains(UInt8(ascii: "?")) else {
            throw RequestURL.refusal("the base of an endpoint has a query; put it into the endpoint's")
        }
        var target = base.absoluteString
        if target.hasSuffix("/") { target.removeLast() }
        let path = Self.encoded(path, keeping: "!$&'()*+,;=:@/%")
        target += path.hasPrefix("/") || path.isEmpty ? path : "/" + path
        let query = query.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
        if !query.isEmpty { target += "?" + query }
        return try Request(method, target, headers: headers, body: body)
    }

    /// Percent-encodes all but RFC 3986's unreserved characters and `others`.
    private static func encoded(_ text: String, keeping others: StaticString = "") -> String {
        let kept = others.withUTF8Buffer { Array($0) } + Array("-._~".utf8)
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                result.append(byte)
            default:
                if kept.contains(byte) { result.append(byte) } else { result.appendPercentEncoded(byte) }
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
