import CFreshetCurl
import FreshetHTTP

/// An address as libcurl has parsed it, to be used by many transfers: parsing costs a tenth of a small request.
final class CurlURL {
    let raw: OpaquePointer

    init?(_ url: RequestURL) {
        guard let raw = curl_url() else { return nil }
        self.raw = raw
        if curl_url_set(raw, CURLUPART_URL, url.absoluteString, UInt32(CURLU_DISALLOW_USER)) != CURLUE_OK { return nil }
    }

    deinit { curl_url_cleanup(raw) }
}

/// The addresses that were used lately.
struct CurlURLCache {
    private static let capacity = 512
    private var urls: [RequestURL: CurlURL] = [:]

    mutating func url(for address: RequestURL) -> CurlURL? {
        if let known = urls[address] { return known }
        guard let url = CurlURL(address) else { return nil }
        if urls.count == Self.capacity { urls.removeAll(keepingCapacity: true) }
        urls[address] = url
        return url
    }
}
