import CFreshetCurl
import FreshetHTTP

/// The root of an origin as libcurl has parsed it, used by all requests to it; what each asks for there is its target.
///
/// libcurl takes a URL apart and prints it anew for each request, a byte at a time; a target goes out as it is.
final class CurlURL {
    let raw: OpaquePointer
    /// What a request says of its origin, without a line end. Source: RFC 9110 section 7.2.
    let hostLine: String

    init?(_ origin: Origin) {
        guard let raw = curl_url() else { return nil }
        guard Self.put(origin, in: raw), let host = Self.part(CURLUPART_HOST, of: raw) else {
            curl_url_cleanup(raw)
            return nil
        }
        self.raw = raw
        let port = Self.part(CURLUPART_PORT, of: raw).map { ":" + $0 } ?? ""
        hostLine = "Host: \(host)\(port)"
    }

    private static func put(_ origin: Origin, in raw: OpaquePointer) -> Bool {
        if curl_url_set(raw, CURLUPART_URL, "\(origin)/", UInt32(CURLU_DISALLOW_USER)) != CURLUE_OK { return false }
        return origin.host.utf8.allSatisfy { $0 < 0x80 } || freshet_url_name_host_in_ascii(raw) == CURLUE_OK
    }

    private static func part(_ part: CURLUPart, of raw: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(raw, part, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    /// What a proxy is asked for that is not asked for a tunnel. Source: RFC 9112 section 3.2.2.
    func absoluteForm(of url: RequestURL) -> String {
        Self.part(CURLUPART_URL, of: raw).map { $0.dropLast() + url.pathAndQuery } ?? url.absoluteString
    }

    deinit { curl_url_cleanup(raw) }

    /// The origin's host as libcurl asks for it: without brackets, and a name beyond ASCII in its encoded form.
    static func nameToResolve(of origin: Origin) -> String {
        let host = origin.bareHost
        if host.utf8.allSatisfy({ $0 < 0x80 }) { return host }
        guard let url = curl_url() else { return host }
        defer { curl_url_cleanup(url) }
        var encoded: UnsafeMutablePointer<CChar>?
        guard curl_url_set(url, CURLUPART_HOST, host, 0) == CURLUE_OK,
            curl_url_get(url, CURLUPART_HOST, &encoded, UInt32(CURLU_PUNYCODE)) == CURLUE_OK, let encoded
        else { return host }
        defer { curl_free(encoded) }
        return String(cString: encoded)
    }
}
