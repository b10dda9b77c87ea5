import CFreshetCurl
import FreshetHTTP
import FreshetLoop
import HTTPTypes

/// The options of a handle that differ from the common ones.
struct ChangedOptions: OptionSet {
    let rawValue: UInt16

    static let method = ChangedOptions(rawValue: 1)
    static let noBody = ChangedOptions(rawValue: 2)
    static let body = ChangedOptions(rawValue: 4)
    static let codings = ChangedOptions(rawValue: 16)
    static let debug = ChangedOptions(rawValue: 32)
    static let upload = ChangedOptions(rawValue: 64)
    static let route = ChangedOptions(rawValue: 128)
    static let fresh = ChangedOptions(rawValue: 256)
    static let end = ChangedOptions(rawValue: 512)
    static let last = ChangedOptions(rawValue: 1024)
}

extension CurlEasy {
    /// Sets the options for `transfer`, whose request has been checked.
    func prepare(for transfer: CurlTransfer) {
        state.transfer = transfer
        errorText.pointee = 0
        lastHeader.forget()
        responseHead.reset()
        let request = transfer.state.request
        let options = transfer.state.options
        if let originPool = transfer.state.entry.originPool {
            setURL(at: originPool)
            if let route = originPool.route { setRoute(route) }
        }
        setVersion(request, options)
        setConnectTimeout(transfer)
        if options.freshConnection || transfer.state.connection.mustBeNew { useFreshConnection() }
        let upload = request.body.isEmpty ? nil : setUpload(of: transfer, request, options)
        setMethod(request)
        setHead(of: transfer, request)
        transfer.apply(.served(by: self, upload))
    }

    private func setURL(at originPool: OriginPool) {
        guard let root = originPool.url, root !== state.url else { return }
        require("the URL", freshet_easy_set_url(raw, root.raw))
        state.url = root
    }

    /// Makes libcurl use no kept connection.
    private func useFreshConnection() {
        freshet_easy_set_long(raw, CURLOPT_FRESH_CONNECT, 1)
        state.set.insert(.fresh)
    }

    /// Resets the options of the transfer, so that the handle can serve the next one. A handle with `.upload` or `.route` serves
    /// no other, so their options stay.
    func clear() {
        _ = detachTransfer()
        clearAddresses()
        if !state.opening.isEmpty { state.opening.removeAll(keepingCapacity: true) }
        if state.set.contains(.body) {
            freshet_easy_set_offset(raw, CURLOPT_POSTFIELDSIZE_LARGE, -1)
            freshet_easy_set_pointer(raw, CURLOPT_POSTFIELDS, nil)
        }
        if !state.set.isDisjoint(with: [.body, .noBody]) { freshet_easy_set_long(raw, CURLOPT_HTTPGET, 1) }
        if state.set.contains(.method) { freshet_easy_set_string(raw, CURLOPT_CUSTOMREQUEST, nil) }
        if state.set.contains(.codings) { freshet_easy_set_string(raw, CURLOPT_ACCEPT_ENCODING, Self.codings) }
        if state.set.contains(.debug) { freshet_easy_set_long(raw, CURLOPT_VERBOSE, 0) }
        if state.set.contains(.end) { removeEnd() }
        if state.set.contains(.last), !multi.isForLongLived { freshet_easy_set_long(raw, CURLOPT_FORBID_REUSE, 0) }
        if state.set.contains(.fresh), !multi.isForLongLived { freshet_easy_set_long(raw, CURLOPT_FRESH_CONNECT, 0) }
        state.set = []
    }

    /// Sets libcurl's limit of time for connecting. It is longer than the transfer's limit, which has the better error.
    ///
    /// libcurl's own limit of 300 s costs nothing. Any other limit is an entry in libcurl's list of timers, which is inserted and
    /// removed for each request. libcurl tries several addresses of one family one after the other, and leaves each of them when
    /// half of its time that is left is over.
    private func setConnectTimeout(_ transfer: CurlTransfer) {
        let options = transfer.state.options
        let longest = Duration.seconds(86_400)
        var limit = options.connects(withinSeconds: 240) ? 0 : Int(longest.millisecondsRoundedUp)
        if transfer.state.hasAlternatives {
            let spans = [options.connectTimeout, options.totalTimeout, transfer.state.request.timeout]
            limit = Int(spans.compactMap { $0 }.reduce(longest, min).millisecondsRoundedUp)
            // A deadline can be a 64th of its span late.
            limit += limit / 32 + 100
        }
        if limit == state.connectLimit { return }
        state.connectLimit = limit
        freshet_easy_set_long(raw, CURLOPT_CONNECTTIMEOUT_MS, limit)
    }

    private func setVersion(_ request: Request, _ options: TransferOptions) {
        // Only HTTP/2 can share a connection, so only it waits for the first one. Over plain HTTP/1.1 a request would wait
        // for the first response. A long-lived response shares nothing, and HTTP/1.1 can pause it without loss.
        let shares: Bool
        switch options.version {
        case .http1: shares = false
        case .http2: shares = true
        case .automatic: shares = request.url.isSecure && !multi.isForLongLived
        }
        if shares == state.shares { return }
        state.shares = shares
        freshet_easy_set_long(raw, CURLOPT_HTTP_VERSION, shares ? freshet_http_2_tls : freshet_http_1_1)
        freshet_easy_set_long(raw, CURLOPT_PIPEWAIT, shares && !multi.isForLongLived ? 1 : 0)
    }

    private func setMethod(_ request: Request) {
        var method = request.method
        if method == .get, case .empty = request.body { return }
        if method == .head {
            freshet_easy_set_long(raw, CURLOPT_NOBODY, 1)
            state.set.insert(.noBody)
            return
        }
        if state.set.contains(.upload) {
            require("the method", freshet_easy_set_string(raw, CURLOPT_CUSTOMREQUEST, method.rawValue))
            state.set.insert(.method)
            return
        }
        if let body = Self.body(of: request) {
            // libcurl copies the bytes, because an array has no fixed address for as long as the transfer lasts.
            freshet_easy_set_offset(raw, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            body.withUnsafeBytes { bytes in
                if let start = bytes.baseAddress {
                    require("the body", freshet_easy_set_pointer(raw, CURLOPT_COPYPOSTFIELDS, start))
                } else {
                    require("the body", freshet_easy_set_string(raw, CURLOPT_COPYPOSTFIELDS, ""))
                }
            }
            state.set.insert(.body)
            if method == .post { method = .get }
        }
        if method != .get || (state.set.contains(.body) && request.method == .get) {
            require("the method", freshet_easy_set_string(raw, CURLOPT_CUSTOMREQUEST, request.method.rawValue))
            state.set.insert(.method)
        }
    }

    /// The bytes of a body that libcurl copies. If the method expects a body, a missing body is sent as a body of length 0.
    /// Source: RFC 9110 section 8.6.
    private static func body(of request: Request) -> [UInt8]? {
        switch request.body {
        case .bytes(let bytes): bytes
        case .source: request.body.isEmpty ? [] : request.body.bytes
        case .empty:
            request.method == .post || request.method == .put || request.method == .patch ? [] : nil
        }
    }
}
