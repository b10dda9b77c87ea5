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
    /// The digest of a body that is too large for the file.
    let digest: String?
    /// Whether the body is known. A body that can be read only once is not.
    let isRead: Bool
    /// Whether a new response is needed each time; see ``PlacedSecrets/needsNewResponse``.
    let needsNewResponse: Bool
    /// Whether the response is that of an OAuth token endpoint, if the request succeeds.
    let getsTokenResponse: Bool
    let mask: SecretMask
    private let headers: HTTPFields
    private let secretFields: Set<HTTPField.Name>
    private let type: String
    private let size: Int
    private let encoding: String?
    private let plainURL: String

    init(_ request: Request, _ content: RecordedBody, masking secrets: FurtherSecrets) {
        let bytes = content.beginning
        type = request.headers[.contentType] ?? request.body.contentType ?? "application/octet-stream"
        let text = SecretMask.text(bytes, type: type)
        plainURL = request.url.absoluteString
        let placed = request.tags[PlacedSecrets.self] ?? PlacedSecrets(names: [])
        mask = SecretMask(request.headers, plainURL, text, secrets.adding(names: placed.names))
        secretFields = placed.requestFields
        method = request.method.rawValue
        url = mask.url(plainURL)
        headers = request.headers.withOneCookieField
        size = request.body.length ?? -1
        let grantType = method == "POST" ? text.flatMap(Self.grantType) : nil
        getsTokenResponse = grantType != nil
        needsNewResponse = getsTokenResponse || placed.needsNewResponse
        (digest, isRead) =
            switch content {
            case .whole: (nil, true)
            case .large(_, let digest): (digest, true)
            case .unread: (nil, false)
            }
        if digest != nil || !isRead {
            (body, encoding) = ("", nil)
        } else if let text {
            // Everything except the grant could be a secret.
            body =
                grantType.map { "\($0)&\(SecretMask.mask)" }
                ?? mask.body(text, type: type, masksAllStrings: needsNewResponse)
            encoding = nil
        } else {
            body = Data(bytes).base64EncodedString()
            encoding = "base64"
        }
    }

    /// The pair of a form that makes it the request of a token.
    private static func grantType(_ form: String) -> Substring? {
        form.utf8.split(separator: UInt8(ascii: "&")).first { $0.starts(with: "grant_type=".utf8) }.map {
            Substring($0)
        }
    }

    /// What a replay compares of a body: JSON by its value, because encoders write members in any order, and a form with files
    /// without its boundary, because that is random. Long numbers count digit by digit, because a value has only 53 bits.
    static func comparable(_ body: String) -> String {
        if body.hasPrefix("--") {
            var boundary = KnownSecrets()
            boundary.insert(Substring(body.utf8.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }))
            return boundary.masked(body, by: "--boundary")
        }
        guard let json = try? JSONValue(Array(body.utf8)), let text = try? json.encoded() else { return body }
        let long = body.utf8.split { !(0x30...0x39).contains($0) }.filter { $0.count >= 16 }.map { Substring($0) }
        return ([Substring(decoding: text, as: UTF8.self)] + long.sorted()).joined(separator: " ")
    }

    func har(version: String) -> HAREntry.Request {
        HAREntry.Request(
            method: method, url: url, httpVersion: version, headers: mask.headers(headers, secret: secretFields),
            queryString: mask.queryString(plainURL),
            postData: size == 0
                ? nil
                : .init(
                    mimeType: type, text: body, encoding: encoding, digest: digest,
                    comment: isRead ? nil : "the body could be read only once, and is not in the recording"),
            bodySize: size)
    }
}
