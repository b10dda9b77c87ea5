extension CurlTransport.Configuration {
    /// Which proxy is asked, if any.
    ///
    /// Requests to https origins go through a tunnel (CONNECT); those to http origins are asked of an HTTP proxy by their
    /// whole URL. Names are resolved by the proxy, but for `socks5` and `socks4`, which want addresses.
    public struct Proxy: Sendable, Hashable {
        enum Kind: Hashable {
            case none
            case environment(bypass: String?)
            case url(String, bypass: String)
        }

        let kind: Kind

        public static let none = Proxy(kind: .none)
        /// What `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say when the transport is made; in upper case too,
        /// but for `HTTP_PROXY`, which a server's client can set where programs are run by CGI.
        public static let environment = Proxy(kind: .environment(bypass: nil))

        /// The same, with a list of one's own in place of `no_proxy`.
        public static func environment(bypassing bypass: String) -> Proxy {
            Proxy(kind: .environment(bypass: bypass))
        }

        /// The proxy at an address.
        ///
        /// - Parameters:
        ///   - url: `http`, `https`, `socks5h`, `socks5`, `socks4a` or `socks4`, the first if there is none; with user and
        ///     password where the proxy wants them, percent-encoded. Without a port it is 1080, of `https` 443.
        ///   - bypass: hosts to go to directly, as `no_proxy` lists them: `localhost,.example.com,10.0.0.0/8`, or `*`.
        public static func url(_ url: String, bypassing bypass: String = "") -> Proxy {
            Proxy(kind: .url(url, bypass: bypass))
        }
    }
}

extension CurlTransport.Configuration.Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Without user and password.
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

/// The proxies of a transport, once the environment has been read.
struct ProxyChoice {
    enum Answer {
        case direct
        case proxy(ProxyServer)
        /// What was given is no proxy.
        case malformed
    }

    private var texts: [String: String] = [:]
    private var bypass = BypassList("")

    /// - Parameter environment: gives the value of a variable, `nil` if it is missing or empty.
    init(_ proxy: CurlTransport.Configuration.Proxy, environment: (String) -> String?) {
        switch proxy.kind {
        case .none: break
        case .url(let url, let bypass):
            texts = ["http": url, "https": url]
            self.bypass = BypassList(bypass)
        case .environment(let bypass):
            let all = environment("all_proxy") ?? environment("ALL_PROXY")
            texts["http"] = environment("http_proxy") ?? all
            texts["https"] = environment("https_proxy") ?? environment("HTTPS_PROXY") ?? all
            self.bypass = BypassList(bypass ?? environment("no_proxy") ?? environment("NO_PROXY") ?? "")
        }
    }

    /// - Parameter host: without brackets.
    func proxy(scheme: String, host: String) -> Answer {
        guard let text = texts[scheme], !text.isEmpty, !bypass.contains(host) else { return .direct }
        return ProxyServer(text).map { .proxy($0) } ?? .malformed
    }
}
