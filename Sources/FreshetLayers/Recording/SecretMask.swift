import FoundationEssentials
import FreshetHTTP
import HTTPTypes

/// Masks secrets in recorded data. The same request always gives the same text, so a replay can compare.
struct SecretMask: Sendable {
    static let mask = "REDACTED"
    /// The usual names of secrets in header fields, queries, forms and JSON, as ``plain(_:)`` writes them.
    private static let usualNames: Set = [
        "accesskey", "accesstoken", "accountkey", "actortoken", "amzsecuritytoken", "amzsignature", "apitoken",
        "applicationkey", "assertion", "auth", "authentication", "authenticationinfo", "authkey", "authtoken",
        "awsec2metadatatoken", "bearer", "bearertoken", "circletoken", "clientassertion", "clientsecret", "code",
        "codeverifier", "connectionstring", "cookie", "credential", "credentials", "csrftoken", "ddapplicationkey",
        "devicecode", "dpop", "dpopnonce", "encryptionkey", "figmatoken", "functionskey", "githubtoken",
        "gitlabtoken", "googsignature", "honeycombteam", "idtoken", "idtokenhint", "jfrogartapi", "jsessionid", "jwt",
        "key", "logintoken", "mfatoken", "oauthtoken", "ocpapimsubscriptionkey", "otp", "pass", "passphrase",
        "passwd", "password", "phpsessid", "privatekey", "privatetoken", "pwd", "refreshtoken", "resettoken",
        "samlresponse", "secret", "secretkey", "secrettoken", "securitytoken", "session", "sessionid", "sessiontoken",
        "setcookie", "setcookie2", "shopifyaccesstoken", "sid", "sig", "signature", "signingkey", "subjecttoken",
        "subscriptionkey", "ticket", "token", "tokens", "usertoken", "vaulttoken", "xsrftoken",
    ]
    /// Names with these endings are secret too, such as that of a new password, also in the plural. A token alone can be that of a
    /// page.
    private static let usualEndings = [
        "accesskey", "accesstoken", "apikey", "authorization", "authtoken", "idtoken", "jwtassertion", "passphrase",
        "password", "privatekey", "refreshtoken", "secret", "secretkey", "sessiontoken",
    ]
    private static let fieldEndings = ["auth", "key", "signature", "signature256", "token"]
    /// Fields with these endings identify a request, a stored response or a place in a list.
    private static let harmlessEndings = [
        "cachekey", "continuationtoken", "idempotencykey", "nexttoken", "pagetoken", "partitionkey", "rowkey",
        "surrogatekey", "synctoken", "websocketkey", "xkey",
    ]
    /// In JSON these are often no secrets with a number or an object, but a status, an identifier or settings.
    private static let ambiguousNames: Set = [
        "authentication", "authorization", "code", "credentials", "key", "pass", "session", "sessionid", "sid",
        "ticket", "tokens",
    ]
    /// No name of a secret is longer, with hyphens and underscores. Comparing only short names keeps the search cheap.
    private static let longestName = 64

    /// Fields that have URLs between other words.
    private static let fieldsWithURLs: Set = ["link", "refresh"]

    private let names: Set<String>
    /// Whether the texts are those of a response, in which a `code` can be that of an error.
    private var isOfResponse = false
    /// The values that were found so far. They are masked wherever they occur.
    private var known = KnownSecrets()
    /// Those of a response's fields are not masked in URLs. The next request can go to one of these, and its text is not masked,
    /// so a replay would not find it.
    private var knownOutsideURLs = KnownSecrets()

    /// Finds the secrets in a request's fields and body.
    init(_ headers: HTTPFields, _ url: String, _ body: String?, _ further: FurtherSecrets) {
        names = Set(further.names.map { Self.plain($0) })
        for text in further.texts { known.insert(text) }
        for field in headers where isSecretField(field.name) {
            // The scheme of a credential is not secret.
            let hasScheme = [.authorization, .proxyAuthorization].contains(field.name)
            add(hasScheme && field.value.contains(" ") ? field.value.drop { $0 != " " } : field.value[...])
        }
        addPairs(in: url, of: .url)
        for text in [url] + headers.map(\.value) { Userinfo.secrets(in: text).forEach { add($0) } }
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
        for form in Self.forms(of: value) { known.insert(form) }
    }

    /// The ways in which a secret, or a part of it, can be written.
    private static func forms(of value: some StringProtocol) -> [String] {
        // The parts of a cookie are separate secrets.
        String(value).utf8.split(whereSeparator: { " ;,".utf8.contains($0) }).flatMap { part in
            [part, part.split(separator: UInt8(ascii: "="), maxSplits: 1).last ?? part].flatMap { text in
                let written = String(Substring(text))
                // In a query or form the same secret is written in another way.
                return FormPairs.decodings(written) + [RequestBody.formEncoded(written)]
            }
        }
    }

    /// Finds the secrets in a body of JSON or of a form. Text can contain either, such as a line of it.
    mutating func learn(_ body: String) {
        // A string inside of a secret object can be a common word, so it is masked only where it stands.
        for value in JSONSecrets.values(in: body, where: secrecy) where !value.isNumber && value.secrecy != .content {
            add(body[value.range])
            add(JSONSecrets.plain(body[value.range]))
        }
        if body.hasPrefix("--") { for value in secretParts(of: body) { add(body[value]) } }
        addPairs(in: body, of: .text)
        Userinfo.secrets(in: body).forEach { add($0) }
    }

    /// Finds the secrets in the fields of a response. The texts that follow are those of the response.
    mutating func learn(_ fields: HTTPFields) {
        isOfResponse = true
        // A cookie can hold any text, such as a part of the address that the response leads to.
        for field in fields where field.name != .setCookie && isSecretField(field.name) {
            // A number can be one of JSON, which a text would make invalid.
            for form in Self.forms(of: field.value) where Double(form) == nil { knownOutsideURLs.insert(form) }
        }
    }

    private mutating func addPairs(in text: String, of place: FormPairs.Place) {
        for value in FormPairs.secretValues(in: text, of: place, where: isSecret) { add(text[value]) }
    }

    private func isSecret(_ name: some StringProtocol) -> Bool { secrecy(of: name) > .nothing }

    /// Each vendor has names of its own for its fields, but few endings.
    private func isSecretField(_ field: HTTPField.Name) -> Bool {
        if isSecret(field.canonicalName) { return true }
        let name = Self.plain(field.canonicalName)
        return Self.fieldEndings.contains { name.hasSuffix($0) }
            && !Self.harmlessEndings.contains { name.hasSuffix($0) }
    }

    /// What is secret of the value that has this name in JSON.
    private func secrecy(of name: some StringProtocol) -> JSONSecrets.Secrecy {
        let end = String(decoding: name.utf8.suffix(Self.longestName), as: UTF8.self)
        let written = FormPairs.decodings(end).last ?? ""
        let inner = Self.innermost(written)
        guard inner != nil || name.utf8.count <= Self.longestName else { return .nothing }
        let (whole, name) = (Self.plain(written), Self.plain(inner ?? written))
        if names.contains(whole) || names.contains(name) { return .everything }
        let singular = name.hasSuffix("s") ? String(name.dropLast()) : name
        guard Self.usualNames.contains(name) || Self.usualEndings.contains(where: { singular.hasSuffix($0) }) else {
            return .nothing
        }
        let isAmbiguous = Self.ambiguousNames.contains(singular) || Self.ambiguousNames.contains(name)
        return name == "code" && isOfResponse ? .unlessWord : isAmbiguous ? .strings : .everything
    }

    /// The name in lower case, without `-` and `_`, and without the `X-` of a header field.
    private static func plain(_ name: some StringProtocol) -> String {
        let name = name.lowercased()
        return name.dropFirst(name.hasPrefix("x-") ? 2 : 0).filter { $0 != "-" && $0 != "_" }
    }

    /// The name of the member, without those of the objects and lists around it: `password` of `user[password]` and `password[0]`;
    /// `nil` for a name without brackets.
    private static func innermost(_ name: String) -> String? {
        guard name.utf8.contains(UInt8(ascii: "[")) else { return nil }
        return name.split { "[]".contains($0) }.last { !$0.allSatisfy(\.isWholeNumber) }.map(String.init)
    }

    /// The longest line of a part's head that is read.
    private static let longestLine = 8 * 1024

    /// The values of the parts of a multipart form that have a secret name. Source: RFC 7578.
    private func secretParts(of body: String) -> [Range<String.Index>] {
        let (carriageReturn, lineFeed) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        let boundary = body.utf8.prefix { $0 != carriageReturn && $0 != lineFeed }
        var (parts, isHead, hasSecretName) = ([Range<String.Index>](), true, false)
        var start: String.Index?
        var rest = body.utf8[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != lineFeed }
            rest = rest[line.endIndex...].dropFirst()
            if line.starts(with: boundary) {
                // The line end before a boundary belongs to it.
                if let start, case let end = body.utf8.index(line.startIndex, offsetBy: -2), start < end {
                    parts.append(start..<end)
                }
                (start, isHead, hasSecretName) = (nil, true, false)
            } else if isHead, line.isEmpty || line.elementsEqual([carriageReturn]) {
                isHead = false
                if hasSecretName, line.endIndex < body.endIndex { start = body.utf8.index(after: line.endIndex) }
            } else if isHead, line.count <= Self.longestLine,
                Substring(line.prefix(20)).lowercased() == "content-disposition:",
                let name = Substring(line).firstMatch(of: #/\bname="([^"]*)"/#)?.1
            {
                hasSecretName = isSecret(name)
            }
        }
        return parts
    }

    // MARK: Masking

    /// Whether a string inside of a secret object can be secret. A word of a schema or of a generated text is none.
    private static func canBeSecret(_ text: Substring) -> Bool {
        text.utf8.count >= KnownSecrets.shortestValue && !text.utf8.contains(UInt8(ascii: " "))
    }

    /// Returns `text` with every known secret masked, and with the users and passwords of URLs.
    func masked(_ text: String) -> String {
        knownOutsideURLs.masked(maskedURL(text), by: Self.mask, keepsURLs: true)
    }

    /// Returns `text`, which is a URL or has URLs between its words, in the same way in each exchange with these secrets.
    private func maskedURL(_ text: String) -> String {
        known.masked(Userinfo.masked(text, by: Self.mask), by: Self.mask)
    }

    /// - Parameter secret: further fields whose values are masked.
    func headers(_ fields: HTTPFields, secret: Set<HTTPField.Name> = []) -> [HAREntry.Pair] {
        fields.map { field in
            let isURL = [.location, .contentLocation, .referer].contains(field.name)
            let hasURLs = Self.fieldsWithURLs.contains(field.name.canonicalName)
            let value =
                isURL ? url(field.value) : hasURLs ? pairs(in: field.value, of: .text) : masked(field.value)
            let isSecret = isSecretField(field.name) || secret.contains(field.name)
            let hidden = field.name == .setCookie ? Self.cookie(value) : Self.mask
            return .init(name: field.name.rawName, value: isSecret ? hidden : value)
        }
    }

    /// The cookie with a masked value. With its name and its attributes, a replay sets and deletes the same cookies.
    private static func cookie(_ text: String) -> String {
        let pair = text.utf8.prefix { $0 != UInt8(ascii: ";") }
        guard let separator = pair.firstIndex(of: UInt8(ascii: "=")) else { return mask + text[pair.endIndex...] }
        return text[...separator] + mask + text[pair.endIndex...]
    }

    /// A fragment can hold a token as a form does. Source: RFC 6749 section 4.2.2.
    func url(_ url: String) -> String { pairs(in: url, of: .url) }

    func queryString(_ url: String) -> [HAREntry.Pair] {
        FormPairs.query(of: self.url(url)).map { .init(name: $0.name, value: $0.value) }
    }

    private func pairs(in text: String, of place: FormPairs.Place) -> String {
        let text = Self.replacing(FormPairs.secretValues(in: text, of: place, where: isSecret), in: text)
        return place == .form ? masked(text) : maskedURL(text)
    }

    /// Replaces all `ranges`, which are in ascending order, at once.
    private static func replacing(_ ranges: [Range<String.Index>], in text: String) -> String {
        replacing(ranges.map { ($0, mask) }, in: text)
    }

    private static func replacing(_ masks: [(range: Range<String.Index>, mask: String)], in text: String) -> String {
        var (result, last) = ("", text.startIndex)
        for (range, mask) in masks {
            result += text[last..<range.lowerBound] + mask
            last = range.upperBound
        }
        return result + text[last...]
    }

    /// - Parameters:
    ///   - type: the media type, which says whether the body is a form.
    ///   - masksAllStrings: whether the strings and numbers of JSON are secret whatever their names.
    func body(_ text: String, type: String, masksAllStrings: Bool = false) -> String {
        let type = type.lowercased()
        if type.hasPrefix("application/x-www-form-urlencoded") { return pairs(in: text, of: .form) }
        if type.hasPrefix("multipart/") { return masked(Self.replacing(secretParts(of: text), in: text)) }
        let found = JSONSecrets.values(in: text) { masksAllStrings ? .everything : secrecy(of: $0) }
        let values = found.filter { value in
            !value.range.isEmpty && (value.secrecy != .content || Self.canBeSecret(text[value.range]))
        }
        // A number stays one, so that the text stays valid and a replay can decode it.
        return masked(Self.replacing(values.map { ($0.range, $0.isNumber ? "0" : Self.mask) }, in: text))
    }
}
