import FreshetCore
import FreshetCrypto
import FreshetHTTP

/// A JWT in its compact form. Source: RFC 7515, RFC 7519.
struct JSONWebToken {
    /// The header and the claims, which the signature covers.
    private let text: String

    /// - Parameters:
    ///   - type: the header's `typ`.
    ///   - header: further members of the header.
    ///   - algorithm: the algorithm of the signature.
    init(
        type: String, header: [String: JSONValue] = [:], claims: [String: JSONValue], algorithm: SigningKey.Algorithm
    ) throws {
        var header = header
        header["typ"] = .string(type)
        header["alg"] = .string(algorithm.rawValue)
        let parts = try [header, claims].map { Base64URL.encoded(try JSONValue.object($0).encoded()) }
        text = parts.joined(separator: ".")
    }

    func signed(by key: SigningKey) throws -> String { signed(with: try key.signature(of: Array(text.utf8))) }

    func signed(by signer: any Signer) -> Single<String> {
        signer.sign(Array(text.utf8)).map { signed(with: $0) }
    }

    private func signed(with signature: [UInt8]) -> String { text + "." + Base64URL.encoded(signature) }
}
