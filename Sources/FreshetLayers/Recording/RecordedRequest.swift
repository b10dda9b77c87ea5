import FoundationEssentials
import FreshetHTTP
import HTTPTypes

/// A request in the form of a recording: with its secrets masked.
struct RecordedRequest: Sendable {
    /// Replaces the response of a token endpoint, in which every member could be a secret.
    static let tokenResponse =
        #"{"access_token":"REDACTED","expires_in":3600,"refresh_token":"REDACTED","token_type":"Bearer"}"#

    let method: String
    let url: String
    let body: String
    let isTokenRequest: Bool
    let mask: SecretMask
    private let headers: HTTPFields
    private let type: String
    private let size: Int
    private let encoding: String?
    private let plainURL: String

    /// - Parameter names: further names of secrets.
    init(_ request: Request, masking names: Set<String>) {
        let bytes = request.body.bytes
        type = request.headers[.contentType] ?? request.body.contentType ?? "application/octet-stream"
        let text = bytes.flatMap { [type] in SecretMask.text($0, type: type) }
        plainURL = request.url.absoluteString
        mask = SecretMask(
            request.headers, plainURL, text, names: names.union(request.tags[PlacedSecrets.self]?.names ?? []))
        method = request.method.rawValue
        url = mask.url(plainURL)
        headers = request.headers.withOneCookieField
        size = request.body.length ?? -1
        isTokenRequest =
            method == "POST" && text?.split(separator: "&").contains { $0.hasPrefix("grant_type=") } == true
        if let text {
            // Everything except the grant could be a secret.
            body = isTokenRequest ? Self.grant(text) : mask.body(text, type: type)
            encoding = nil
        } else {
            body = bytes.map { Data($0).base64EncodedString() } ?? ""
            encoding = bytes == nil ? nil : "base64"
        }
    }

    private static func grant(_ text: String) -> String {
        text.split(separator: "&").first { $0.hasPrefix("grant_type=") }.map { "\($0)&\(SecretMask.mask)" } ?? ""
    }

    /// What a replay compares of a body: JSON by its value, because encoders write members in any order, and a form with files
    /// without its boundary, because that is random. Long numbers count digit by digit, because a value has only 53 bits.
    static func comparable(_ body: String) -> String {
        if body.hasPrefix("--"), case let boundary = body.prefix(while: { !$0.isNewline }), boundary.count > 2 {
            return body.replacing(boundary, with: "--boundary")
        }
        guard let json = try? JSONValue(Array(body.utf8)), let text = try? json.encoded() else { return body }
        let long = body.matches(of: #/\d{16,}/#).map(\.output).sorted()
        return ([Substring(decoding: text, as: UTF8.self)] + long).joined(separator: " ")
    }

    func har(version: String) -> HAREntry.Request {
        HAREntry.Request(
            method: method, url: url, httpVersion: version, headers: mask.headers(headers),
            queryString: mask.queryString(plainURL),
            postData: size == 0 ? nil : .init(mimeType: type, text: body, encoding: encoding), bodySize: size)
    }
}
