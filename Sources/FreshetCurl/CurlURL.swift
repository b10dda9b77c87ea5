import CFreshetCurl
import FreshetHTTP

/// An address as libcurl has parsed it, to be used by many transfers: parsing costs a tenth of a small request.
final class CurlURL {
    let raw: OpaquePointer

    init?(_ url: RequestURL) {
        guard let raw = curl_url() else { return nil }
        self.raw = raw
        if curl_url_set(raw, CURLUPART_URL, url.absoluteString, UInt32(CURLU_DISALLOW_USER)) != CURLUE_OK { return nil }
        if !url.host.utf8.allSatisfy({ $0 < 0x80 }), freshet_url_name_host_in_ascii(raw) != CURLUE_OK { return nil }
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

/// The addresses that were used lately.
struct CurlURLCache {
    private static let capacity = 512
    private var urls: [RequestURL: CurlURL] = [:]

    /// Which was asked for last: many requests in a row go to the same address.
    private var latest: Latest?

    private struct Latest {
        /// Held, or its identity could become another's.
        let address: RequestURL
        let identity: ObjectIdentifier
        let url: CurlURL
    }

    /// - Returns: an object that stays until the next call.
    mutating func url(for address: RequestURL) -> Unmanaged<CurlURL>? {
        if latest?.identity != address.identity {
            guard let url = find(address) else { return nil }
            latest = Latest(address: address, identity: address.identity, url: url)
        }
        return latest.map { .passUnretained($0.url) }
    }

    private mutating func find(_ address: RequestURL) -> CurlURL? {
        if let known = urls[address] { return known }
        guard let url = CurlURL(address) else { return nil }
        if urls.count == Self.capacity { urls.removeAll(keepingCapacity: true) }
        urls[address] = url
        return url
    }
}
