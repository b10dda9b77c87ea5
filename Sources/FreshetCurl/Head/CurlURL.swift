import CFreshetCurl
import FreshetHTTP

/// The root URL of an origin, parsed by libcurl. All requests to the origin share it, and each has its own target.
///
/// libcurl parses a URL and prints it again for each request, byte by byte. It sends a target as it is.
final class CurlURL {
    let raw: OpaquePointer
    /// The `Host` header line, without a line end. Source: RFC 9110 section 7.2.
    let hostLine: String

    init?(_ origin: Origin) {
        // libcurl would read a name beyond ASCII in the locale's character set.
        guard origin.host.utf8.allSatisfy({ $0 < 0x80 }), let raw = curl_url() else { return nil }
        guard curl_url_set(raw, CURLUPART_URL, "\(origin)/", UInt32(CURLU_DISALLOW_USER)) == CURLUE_OK,
            let host = Self.part(CURLUPART_HOST, of: raw)
        else {
            curl_url_cleanup(raw)
            return nil
        }
        self.raw = raw
        let port = Self.part(CURLUPART_PORT, of: raw).map { ":" + $0 } ?? ""
        hostLine = "Host: \(host)\(port)"
    }

    /// - Returns: a part of any URL that libcurl has parsed; `nil` if the URL does not have it.
    static func part(_ part: CURLUPart, of raw: OpaquePointer, _ flags: Int32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(raw, part, &text, UInt32(flags)) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    /// The target of a request that goes to a proxy without a tunnel. Source: RFC 9112 section 3.2.2.
    func absoluteForm(of url: RequestURL) -> String {
        Self.part(CURLUPART_URL, of: raw).map { $0.dropLast() + url.pathAndQuery } ?? url.absoluteString
    }

    deinit { curl_url_cleanup(raw) }
}
