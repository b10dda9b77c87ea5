import CFreshetCurl
import FreshetHTTP

/// The parts of a proxy's URL.
///
/// libcurl's messages repeat the URL that libcurl gets, so libcurl gets it without the password.
struct ProxyServer: Hashable, CustomStringConvertible {
    let scheme: String
    /// A name or an address, without brackets.
    let host: String
    let port: Int
    let user: String?
    let password: String?

    private static let schemes: Set<String> = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    init?(_ text: String) {
        guard let url = curl_url() else { return nil }
        defer { curl_url_cleanup(url) }
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME)
        guard curl_url_set(url, CURLUPART_URL, text.contains("://") ? text : "http://\(text)", flags) == CURLUE_OK,
            let scheme = CurlURL.part(CURLUPART_SCHEME, of: url)?.lowercased(),
            let host = CurlURL.part(CURLUPART_HOST, of: url).map(HostName.normalized), !host.isEmpty
        else { return nil }
        self.scheme = scheme == "socks" ? "socks4" : scheme
        guard Self.schemes.contains(self.scheme) else { return nil }
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        port = CurlURL.part(CURLUPART_PORT, of: url).flatMap { Int($0) } ?? (scheme == "https" ? 443 : 1080)
        user = CurlURL.part(CURLUPART_USER, of: url, CURLU_URLDECODE)
        password = CurlURL.part(CURLUPART_PASSWORD, of: url, CURLU_URLDECODE)
    }

    /// The URL without user and password.
    var description: String { "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// Whether the client has to resolve the names of servers.
    var wantsAddresses: Bool { scheme == "socks4" || scheme == "socks5" }
}
