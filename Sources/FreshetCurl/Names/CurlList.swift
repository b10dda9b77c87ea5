import CFreshetCurl

/// A list of texts for libcurl, which does not copy it.
final class CurlList {
    let raw: UnsafeMutablePointer<curl_slist>?

    init(_ lines: [String]) {
        raw = lines.reduce(nil) { curl_slist_append($0, $1) }
    }

    deinit { curl_slist_free_all(raw) }
}
