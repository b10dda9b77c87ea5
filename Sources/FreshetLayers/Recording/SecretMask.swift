import FoundationEssentials
import FreshetHTTP
import HTTPTypes

/// Masks secrets in recorded data. The same request always gives the same text, so a replay can compare.
struct SecretMask: Sendable {
    static let mask = "REDACTED"
    /// The usual names of secrets in header fields, queries, forms and JSON, as ``plain(_:)`` writes them.
    private static let usualNames: Set = [
        "accesskey", "accesstoken", "actortoken", "amzsecuritytoken", "amzsignature", "apikey", "apitoken",
        "applicationkey", "assertion", "auth", "authenticationinfo", "authkey", "authorization", "authtoken",
        "bearertoken", "circletoken", "clientassertion", "clientsecret", "code", "codeverifier", "cookie",
        "credential", "csrftoken", "ddapikey", "ddapplicationkey", "devicecode", "dpop", "dpopnonce", "figmatoken",
        "functionskey", "gitlabtoken", "googapikey", "googsignature", "idtoken", "jwt", "key", "oauthtoken",
        "ocpapimsubscriptionkey", "otp", "passphrase", "passwd", "password", "privatekey", "privatetoken",
        "proxyauthorization", "pwd", "refreshtoken", "secret", "secretkey", "session", "sessionid", "sessiontoken",
        "setcookie", "setcookie2", "shopifyaccesstoken", "sid", "sig", "signature", "subjecttoken", "token",
        "vaulttoken", "xsrftoken",
    ]
    /// Shorter values are not masked elsewhere, because they occur in other places by chance.
    private static let shortestValue = 8

    private let names: Set<String>
    /// The values that were found so far. They are masked wherever they occur.
    private(set) var values: [String] = []

    /// Finds the secrets in a request's fields and body.
    ///
    /// - Parameter names: further names of secrets.
    init(_ headers: HTTPFields, _ url: String, _ body: String?, names: Set<String>) {
        self.names = Set(names.map { Self.plain($0) })
        for field in headers where isSecret(field.name.canonicalName) { add(field.value) }
        for (name, value) in Self.form(url.split(separator: "?", maxSplits: 1).dropFirst().first ?? "")
        where isSecret(name) {
            add(value)
        }
        if let body { learn(body) }
    }

    /// The body as a text in which secrets can be found; `nil` if it is none. A body of a textual type, or a form with files, is
    /// text even if it contains bytes that are not UTF-8, for example because it was cut off.
    static func text(_ body: [UInt8], type: String) -> String? {
        if let text = String(validating: body, as: UTF8.self) { return text }
        let type = type.prefix { $0 != ";" && $0 != " " }.lowercased()
        let isText =
            type.hasPrefix("text/") || type.hasPrefix("multipart/") || type.contains("json")
            || type.hasSuffix("xml") || type.hasSuffix("x-www-form-urlencoded")
        return isText ? String(decoding: body, as: UTF8.self) : nil
    }

    private mutating func add(_ value: some StringProtocol) {
        // The scheme of a credential is not secret, and the parts of a cookie are separate secrets.
        for part in String(value).split(whereSeparator: { " ;,".contains($0) }) {
            for text in [part, part.split(separator: "=", maxSplits: 1).last ?? part]
            where text.utf8.count >= Self.shortestValue { values.append(String(text)) }
        }
    }

    /// Finds the secrets in a body of JSON or of a form. Text can contain either, such as a line of it.
    mutating func learn(_ body: String) {
        for member in JSONMembers.strings(in: body) where isSecret(JSONMembers.plain(body[member.name])) {
            add(body[member.value])
            add(JSONMembers.plain(body[member.value]))
        }
        if body.hasPrefix("--") { for value in secretParts(of: body) { add(body[value]) } }
        // A form contains no white space, and none of the marks of JSON and XML.
        for word in body.split(whereSeparator: { $0.isWhitespace || "\"'<>{}[]".contains($0) }) {
            for (name, value) in Self.form(word) where isSecret(name) { add(value) }
        }
    }

    private func isSecret(_ name: some StringProtocol) -> Bool {
        let name = Self.plain(name)
        return Self.usualNames.contains(name) || names.contains(name)
    }

    /// The name in lower case, without `-` and `_`, and without the `X-` of a header field.
    private static func plain(_ name: some StringProtocol) -> String {
        let name = name.lowercased()
        return name.dropFirst(name.hasPrefix("x-") ? 2 : 0).filter { $0 != "-" && $0 != "_" }
    }

    private static func form(_ text: Substring) -> [(name: Substring, value: Substring)] {
        text.split(separator: "#", omittingEmptySubsequences: false).first.map { $0.split(separator: "&") }.map {
            pairs in
            pairs.map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (parts[0], parts.count > 1 ? parts[1] : "")
            }
        } ?? []
    }

    /// The values of the parts of a multipart form that have a secret name. Source: RFC 7578.
    private func secretParts(of body: String) -> [Range<String.Index>] {
        let (carriageReturn, lineFeed) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        let boundary = body.utf8.prefix { $0 != carriageReturn && $0 != lineFeed }
        var (parts, isHead, hasSecretName) = ([Range<String.Index>](), true, false)
        var start: String.Index?
        for line in body.utf8.split(separator: lineFeed, omittingEmptySubsequences: false) {
            if line.starts(with: boundary) {
                // The line end before a boundary belongs to it.
                if let start, case let end = body.utf8.index(line.startIndex, offsetBy: -2), start < end {
                    parts.append(start..<end)
                }
                (start, isHead, hasSecretName) = (nil, true, false)
            } else if isHead, line.isEmpty || line.elementsEqual([carriageReturn]) {
                isHead = false
                if hasSecretName, line.endIndex < body.endIndex { start = body.utf8.index(after: line.endIndex) }
            } else if isHead, let name = Substring(line).firstMatch(of: #/\bname="([^"]*)"/#)?.1 {
                hasSecretName = isSecret(name)
            }
        }
        return parts
    }

    // MARK: Masking

    /// Returns `text` with every known secret masked.
    func masked(_ text: String) -> String {
        values.sorted { $0.count > $1.count }.reduce(text) { $0.replacing($1, with: Self.mask) }
    }

    func headers(_ fields: HTTPFields) -> [HAREntry.Pair] {
        fields.map { field in
            let isURL = [.location, .contentLocation, .referer].contains(field.name)
            let value = isURL ? url(field.value) : masked(field.value)
            return .init(name: field.name.rawName, value: isSecret(field.name.canonicalName) ? Self.mask : value)
        }
    }

    func url(_ url: String) -> String {
        let parts = url.split(separator: "?", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return masked(url) }
        return masked(parts[0]) + "?" + form(parts[1])
    }

    func queryString(_ url: String) -> [HAREntry.Pair] {
        let query = url.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        return Self.form(query).map { name, value in
            .init(name: String(name), value: isSecret(name) ? Self.mask : masked(String(value)))
        }
    }

    private func form(_ text: String) -> String {
        masked(
            text.split(separator: "&", omittingEmptySubsequences: false).map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return parts.count == 2 && isSecret(parts[0]) ? "\(parts[0])=\(Self.mask)" : String(pair)
            }.joined(separator: "&"))
    }

    /// - Parameter type: the media type, which says whether the body is a form.
    func body(_ text: String, type: String) -> String {
        if type.hasPrefix("application/x-www-form-urlencoded") { return form(text) }
        if type.hasPrefix("multipart/") {
            return masked(
                secretParts(of: text).reversed().reduce(into: text) { $0.replaceSubrange($1, with: Self.mask) })
        }
        let members = JSONMembers.strings(in: text).filter { isSecret(JSONMembers.plain(text[$0.name])) }
        return masked(
            members.reversed().reduce(into: text) { text, member in
                if !member.value.isEmpty { text.replaceSubrange(member.value, with: Self.mask) }
            })
    }
}
