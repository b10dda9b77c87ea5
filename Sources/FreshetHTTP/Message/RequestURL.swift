/// An absolute http or https URL, checked: scheme, host, port, path and query. Source: RFC 3986, RFC 9110 section 4.2.
///
/// A URL that holds a user or a password, white space or a control character is refused. The fragment and the path's dot
/// segments are dropped. Characters beyond ASCII in path and query are percent-encoded as UTF-8. A host with such characters is
/// put into its ASCII form (IDNA), as `xn--bcher-kva.example`.
public struct RequestURL: Sendable, Hashable {
    /// `http` or `https`.
    public var scheme: String { @inlinable get { parts.origin.scheme } }
    /// Whether the scheme is `https`. A comparison of lengths is enough, because `http` is shorter.
    package var isSecure: Bool { scheme.utf8.count == 5 }
    /// The host in lower case and ASCII. An IPv6 address is in its shortest form, with its brackets, and with a zone as
    /// `%25eth0`.
    public var host: String { @inlinable get { parts.origin.host } }
    /// The port; the scheme's default if the text names none.
    public var port: Int { @inlinable get { parts.origin.port } }
    /// The path with its leading slash, and the query with its question mark.
    public var pathAndQuery: String { @inlinable get { parts.pathAndQuery } }

    // One object, because a URL is passed on dozens of times and never changed.
    @usableFromInline let parts: Parts

    @usableFromInline
    final class Parts: Sendable {
        @usableFromInline let origin: Origin
        @usableFromInline let pathAndQuery: String

        init(_ origin: Origin, _ pathAndQuery: String) {
            self.origin = origin
            self.pathAndQuery = pathAndQuery
        }
    }

    /// Equal for two URLs only if one is a copy of the other. It is valid as long as either exists.
    package var identity: ObjectIdentifier { ObjectIdentifier(parts) }

    /// Reads `text`, checks it and puts it into its canonical form.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest`. The message does not repeat parts of `text` that could hold a
    ///   secret.
    public init(_ text: String) throws {
        if let plain = CanonicalURL(text) {
            parts = Parts(
                Origin(
                    normalized: plain.isSecure ? "https" : "http", plain.host,
                    plain.port ?? (plain.isSecure ? 443 : 80)),
                plain.target)
        } else {
            parts = try Self.parts(of: text)
        }
    }

    /// Reads a URL that is not in its canonical form.
    private static func parts(of text: String) throws -> Parts {
        guard let schemeEnd = text.utf8.firstIndex(of: UInt8(ascii: ":")), text[schemeEnd...].hasPrefix("://") else {
            throw Self.refusal("the URL is not absolute", "begin it with http:// or https://")
        }
        let scheme = text[..<schemeEnd].lowercased()
        guard scheme == "http" || scheme == "https" else {
            throw Self.refusal("the URL's scheme is not http or https", "use one of these")
        }
        let rest = text[text.index(schemeEnd, offsetBy: 3)...]
        let authorityEnd = rest.utf8.firstIndex { "/?#\\".utf8.contains($0) } ?? rest.endIndex
        let (host, port) = try Self.hostAndPort(rest[..<authorityEnd])
        return Parts(
            Origin(normalized: scheme, host, port ?? (scheme == "https" ? 443 : 80)),
            Self.removingDots(try Self.encoded(Self.withoutFragment(rest[authorityEnd...]))))
    }

    /// Scheme, host and port. Credentials are bound to them.
    public var origin: Origin { @inlinable get { parts.origin } }

    /// The host, with the port if it is not the scheme's default.
    public var authority: String { origin.authority }

    public var path: String { String(pathAndQuery.prefix { $0 != "?" }) }

    /// The URL without its query, which may hold secrets.
    public var redacted: String { "\(scheme)://\(authority)\(path)" }

    /// The whole URL. It does not belong in logs: see ``redacted``.
    public var absoluteString: String { "\(scheme)://\(authority)\(pathAndQuery)" }

    private init(_ parts: Parts) {
        self.parts = parts
    }

    public static func == (left: RequestURL, right: RequestURL) -> Bool {
        left.parts === right.parts
            || (left.pathAndQuery == right.pathAndQuery && left.parts.origin == right.parts.origin)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(parts.origin)
        hasher.combine(parts.pathAndQuery)
    }

    /// Resolves `reference` against this URL. Source: RFC 3986 section 5.2.
    public func resolving(_ reference: String) throws -> RequestURL {
        if Self.hasScheme(reference) { return try RequestURL(reference) }
        if reference.hasPrefix("//") { return try RequestURL("\(scheme):\(reference)") }
        let target = try Self.encoded(Self.withoutFragment(reference[...]), inserting: "")
        if target.isEmpty { return self }
        if target.hasPrefix("?") { return with(pathAndQuery: path + target) }
        if target.hasPrefix("/") { return with(pathAndQuery: Self.removingDots(target)) }
        return with(pathAndQuery: Self.removingDots(path[...(path.lastIndex(of: "/") ?? path.startIndex)] + target))
    }

    func with(pathAndQuery: String) -> RequestURL {
        RequestURL(Parts(origin, pathAndQuery))
    }
}

extension RequestURL: CustomStringConvertible {
    /// The URL, with the values in its query masked, because they may be secrets. Use ``absoluteString`` to send it.
    public var description: String { Redaction().url(self) }
}

/// Scheme, host and port. Source: RFC 6454.
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    public let scheme: String
    public let host: String
    public let port: Int

    /// Makes an origin. Scheme and host are put into lower case, because case has no meaning in them (RFC 3986 section
    /// 6.2.2.1). The host is put into ASCII. An IPv6 address, with or without brackets, is put into the form that a URL has.
    public init(scheme: String, host: String, port: Int) {
        self.scheme = scheme.lowercased()
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let address = try? RequestURL.addressInBrackets(isBracketed ? host.dropFirst().dropLast() : host[...])
        self.host = address ?? HostName.normalized(host)
        self.port = port
    }

    init(normalized scheme: String, _ host: String, _ port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// Reads an origin, such as `https://api.example`.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` if `url` is not an http or https URL, or has a path.
    public init(_ url: some URLConvertible) throws {
        let url = try url.asRequestURL()
        guard url.pathAndQuery == "/" else {
            throw RequestURL.refusal("an origin has no path", "write scheme, host and port only: \(url.origin)")
        }
        self = url.origin
    }

    var authority: String {
        port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port)"
    }

    public var description: String { "\(scheme)://\(authority)" }
}
