extension CurlTransport.Configuration {
    /// The proxy that requests go through, if any.
    ///
    /// Requests to https origins go through a tunnel (CONNECT). An HTTP proxy gets requests to http origins with their
    /// whole URL. The proxy resolves host names. With `socks5` and `socks4` the client resolves them, because these proxies
    /// take addresses.
    public struct Proxy: Sendable, Hashable {
        enum Kind: Hashable {
            case none
            case environment(bypass: String?)
            case url(String, bypass: String)
        }

        let kind: Kind

        public static let none = Proxy(kind: .none)
        /// The proxies that `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` name when the transport is created. The
        /// names in upper case count too, except `HTTP_PROXY`: in a program that is run by CGI, the client of the web
        /// server can set it.
        public static let environment = Proxy(kind: .environment(bypass: nil))

        /// Like `environment`, with `bypass` instead of the value of `no_proxy`.
        public static func environment(bypassing bypass: String) -> Proxy {
            Proxy(kind: .environment(bypass: bypass))
        }

        /// The proxy at a URL.
        ///
        /// - Parameters:
        ///   - url: the scheme is `http`, `https`, `socks5h`, `socks5`, `socks4a` or `socks4`; without a scheme it is
        ///     `http`. User and password are percent-encoded, for a proxy that requires them. The default port is 1080, and
        ///     443 for `https`.
        ///   - bypass: the hosts that are reached without the proxy, as `no_proxy` lists them:
        ///     `localhost,.example.com,10.0.0.0/8`, or `*`.
        public static func url(_ url: String, bypassing bypass: String = "") -> Proxy {
            Proxy(kind: .url(url, bypass: bypass))
        }
    }
}

extension CurlTransport.Configuration.Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of proxy, or its URL without user and password.
    public var description: String {
        switch kind {
        case .none: "none"
        case .environment: "environment"
        case .url(let url, _): ProxyServer(url)?.description ?? "malformed"
        }
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["proxy": description]) }
}
