/// The contents of a `Set-Cookie` field, before the client checks whether the server may set it. Source: RFC 6265 section 5.2.
struct SetCookie: Equatable {
    var name: String
    var value: String
    /// In seconds since 1970.
    var expires: Double?
    /// In seconds from now.
    var maximumAge: Int?
    /// Without a leading dot, in the form of a URL's host.
    var domain = ""
    var path: String?
    var isSecure = false
    var isHTTPOnly = false

    /// The longest name and value together, in bytes. Source: RFC 6265 section 6.1.
    static let sizeLimit = 4096

    /// Reads `field`; `nil` if the client has to ignore it: it has no name, a control character, or too many bytes.
    init?(_ field: String) {
        guard !field.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) else { return nil }
        let parts = field.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let (name, value) = Self.pair(parts[0]), let value, !name.isEmpty,
            name.utf8.count + value.utf8.count <= Self.sizeLimit
        else { return nil }
        self.name = name
        self.value = value
        for part in parts.dropFirst() {
            if let (name, value) = Self.pair(part) { apply(name.lowercased(), value ?? "") }
        }
    }

    /// Applies an attribute. If it occurs twice, the last one counts.
    private mutating func apply(_ attribute: String, _ value: String) {
        switch attribute {
        case "expires":
            if let moment = CookieDate.secondsSince1970(value) { expires = Double(moment) }
        case "max-age":
            guard value.trimmingPrefix("-").isDigits else { break }
            maximumAge = Int(value) ?? (value.hasPrefix("-") ? 0 : .max)
        case "domain":
            guard !value.isEmpty else { break }
            domain = HostName.normalized(value.hasPrefix(".") ? String(value.dropFirst()) : value)
        case "path":
            path = value.hasPrefix("/") ? value : nil
        case "secure":
            isSecure = true
        case "httponly":
            isHTTPOnly = true
        default:
            break
        }
    }

    /// The name and the value without the white space around them. Without an equals sign there is no value.
    private static func pair(_ text: Substring.UTF8View) -> (name: String, value: String?)? {
        guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else { return (trimmed(text), nil) }
        return (trimmed(text[..<equals]), trimmed(text[text.index(after: equals)...]))
    }

    private static func trimmed(_ text: Substring.UTF8View) -> String {
        var text = text
        while let first = text.first, first == 0x20 || first == 0x09 { text.removeFirst() }
        while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() }
        return String(Substring(text))
    }
}

extension Cookie {
    /// Makes the cookie that a server at `url` sets at `now`; `nil` if the server must not set it. An expired cookie removes
    /// the stored one of the same name, domain and path.
    ///
    /// Source: RFC 6265 section 5.3, and the name prefixes of its successor, draft-ietf-httpbis-rfc6265bis section 5.7.
    ///
    /// - Parameter isShared: whether a cookie for a domain would reach hosts that have nothing to do with each other.
    init?(_ field: SetCookie, from url: RequestURL, at now: Double, isShared: (String) -> Bool) {
        var domain = field.domain
        // A dot at the end hides a name of one label, a public suffix or an address from the checks.
        if !domain.isEmpty, domain.hasSuffix(".") || isShared(domain) {
            guard domain == url.host else { return nil }
            domain = ""
        }
        guard domain.isEmpty || Cookie.host(url.host, isIn: domain) else { return nil }
        if field.isSecure, url.scheme != "https" { return nil }
        let expires = field.maximumAge.map { $0 <= 0 ? 0 : now + Double(min($0, Self.longestLife)) }
        self.init(
            name: field.name, value: field.value, domain: domain.isEmpty ? url.host : domain,
            isHostOnly: domain.isEmpty, path: field.path ?? Self.defaultPath(of: url),
            expires: expires ?? field.expires.map { min($0, now + Double(Self.longestLife)) },
            isSecure: field.isSecure, isHTTPOnly: field.isHTTPOnly)
        let prefix = field.name.lowercased()
        if prefix.hasPrefix("__secure-"), !isSecure { return nil }
        if prefix.hasPrefix("__host-"), !isSecure || !isHostOnly || field.path != "/" { return nil }
    }

    /// 400 days, as in browsers.
    private static let longestLife = 400 * 86_400
}
