/// The proxies of a transport, after the environment has been read.
struct ProxyChoice {
    enum Decision {
        case direct
        case proxy(ProxyServer)
        /// The given text is not the URL of a proxy.
        case malformed
    }

    private var texts: [String: String] = [:]
    private var bypass = BypassList("")

    /// - Parameter environment: returns the value of a variable; `nil` if it is missing or empty.
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

    /// - Parameter host: a name or an address, without brackets.
    func proxy(scheme: String, host: String) -> Decision {
        guard let text = texts[scheme], !text.isEmpty, !bypass.contains(host) else { return .direct }
        return ProxyServer(text).map { .proxy($0) } ?? .malformed
    }
}
