import FreshetCrypto
import FreshetHTTP

/// A signed JWT in its compact form. Source: RFC 7515, RFC 7519.
enum JSONWebToken {
    /// Returns a signed token.
    ///
    /// - Parameters:
    ///   - type: the header's `typ`.
    ///   - header: further members of the header.
    static func signed(
        type: String, header: [String: JSONValue] = [:], claims: [String: JSONValue], by key: SigningKey
    ) throws -> String {
        var header = header
        header["typ"] = .string(type)
        header["alg"] = .string(key.algorithm.rawValue)
        let parts = try [header, claims].map { Base64URL.encoded(try JSONValue.object($0).encoded()) }
        let text = parts.joined(separator: ".")
        return text + "." + Base64URL.encoded(try key.signature(of: Array(text.utf8)))
    }
}
