/// A cookie as a ``CookieJar`` keeps it. Source: RFC 6265 section 5.3.
public struct Cookie: Sendable, Hashable, Codable {
    public var name: String
    public var value: String
    /// The host that the cookie is for, in lower case and without a leading dot.
    public var domain: String
    /// Whether hosts below ``domain`` do not get the cookie.
    public var isHostOnly: Bool
    /// The path that the cookie is for; paths below it get the cookie too.
    public var path: String
    /// When the cookie expires, in seconds since 1970. With `nil` it lasts for the session, which is the life of the jar.
    public var expires: Double?
    /// Whether the cookie is sent over https only.
    public var isSecure: Bool
    /// Whether the server hides the cookie from scripts. It has no effect here.
    public var isHTTPOnly: Bool

    public init(
        name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/",
        expires: Double? = nil, isSecure: Bool = false, isHTTPOnly: Bool = false
    ) {
        self.name = name
        self.value = value
        self.domain = HostName.normalized(domain.hasPrefix(".") ? String(domain.dropFirst()) : domain)
        self.isHostOnly = isHostOnly
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
    }

    /// Whether a request to `url` gets the cookie. Source: RFC 6265 section 5.4, step 1.
    public func matches(_ url: RequestURL) -> Bool {
        (isHostOnly ? url.host == domain : Self.host(url.host, isIn: domain))
            && Self.path(url.path, isIn: path) && (!isSecure || url.scheme == "https")
    }

    func isExpired(at now: Double) -> Bool { expires.map { $0 <= now } ?? false }

    /// Source: RFC 6265 section 5.1.3.
    static func host(_ host: String, isIn domain: String) -> Bool {
        if host == domain { return true }
        return host.hasSuffix(domain) && host.dropLast(domain.count).last == "." && !HostName.isAddress(host)
    }

    /// Source: RFC 6265 section 5.1.4.
    static func path(_ path: String, isIn parent: String) -> Bool {
        if path == parent { return true }
        return path.hasPrefix(parent)
            && (parent.hasSuffix("/") || path.utf8.dropFirst(parent.utf8.count).first == UInt8(ascii: "/"))
    }

    /// The directory of the path. Source: RFC 6265 section 5.1.4.
    static func defaultPath(of url: RequestURL) -> String {
        let path = url.path
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The cookie without its value, which is as secret as a password.
    public var description: String { "\(name)=… for \(isHostOnly ? "" : "*.")\(domain)\(path)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["cookie": description]) }
}
