import CFreshetCurl
import FreshetCore
import FreshetHTTP
import FreshetLoop

/// An easy handle that serves one transfer after the other. The options that all transfers share are set once.
final class CurlEasy {
    let raw: UnsafeMutableRawPointer
    // The multi holds this handle.
    unowned let multi: CurlMulti
    // The multi owns it and lives as long as this handle.
    let callbackTime: UnsafeMutablePointer<TransferStateMachine.CallbackTime>
    let lastHeader = LastHeaderLine()
    let responseHead = HeadBuffer()
    let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    #if DEBUG
        var state = State()
    #else
        // Debug builds, in which the tests run, check exclusivity: see the page ExclusivityChecksStayOn.
        @exclusivity(unchecked) var state = State()
    #endif

    init?(for multi: CurlMulti, configuration: CurlTransport.Configuration) {
        guard let raw = curl_easy_init() else { return nil }
        self.raw = raw
        self.multi = multi
        callbackTime = multi.callbackTime
        errorText.pointee = 0
        setCommon(configuration)
        setCallbacks()
    }

    deinit {
        curl_easy_cleanup(raw)
        errorText.deallocate()
    }

    /// The object of libcurl's handle; `nil` for the handle that libcurl keeps for itself.
    static func of(_ raw: UnsafeMutableRawPointer) -> CurlEasy? {
        freshet_easy_get_private(raw).map { OpaqueReference.object(at: $0) }
    }

    /// The transfer that the handle serves, from ``prepare(for:)`` to ``detachTransfer()``.
    var transfer: CurlTransfer? { state.transfer }

    /// Releases the transfer after libcurl has finished with it.
    func detachTransfer() -> CurlTransfer? { state.transfer.take() }

    /// libcurl's message about a failure, in addition to its code.
    var detail: String { String(cString: errorText) }

    /// Records that libcurl has refused an option without which something else would be sent, or another server trusted. The
    /// transfer then fails before anything is sent.
    func require(_ what: StaticString, _ result: CURLcode) {
        if result != CURLE_OK, state.refusal == nil { state.refusal = (what, CurlError(code: result.rawValue)) }
    }

    private func setCommon(_ configuration: CurlTransport.Configuration) {
        let context = OpaqueReference.borrow(self)
        freshet_easy_set_pointer(raw, CURLOPT_PRIVATE, context)
        freshet_easy_set_pointer(raw, CURLOPT_ERRORBUFFER, errorText)
        // Without it, libcurl changes the handling of SIGPIPE in every call. The loop ignores SIGPIPE for good.
        freshet_easy_set_long(raw, CURLOPT_NOSIGNAL, 1)
        state.isGuarded = SilentResendGuard.apply(to: raw)
        freshet_easy_set_string(raw, CURLOPT_PROTOCOLS_STR, "http,https")
        // Otherwise the end of a transfer whose name is being resolved blocks the loop until the resolver returns.
        freshet_easy_set_long(raw, CURLOPT_QUICK_EXIT, 1)
        freshet_easy_set_long(raw, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        freshet_easy_set_string(raw, CURLOPT_ACCEPT_ENCODING, Self.codings)
        multi.tls.set(on: self)
        if CurlVersion.hasOpenSSL { observeTLS() }
        // The proxy is set for each request. Otherwise libcurl reads the environment for each request.
        require("the proxy", freshet_easy_set_string(raw, CURLOPT_PROXY, ""))
        require("the hosts without a proxy", freshet_easy_set_string(raw, CURLOPT_NOPROXY, ""))
        // libcurl keeps all addresses, and does not search for expired ones after each request.
        freshet_easy_set_long(raw, CURLOPT_DNS_CACHE_TIMEOUT, -1)
        configuration.pool.set(on: raw)
        if let device = configuration.addresses.device {
            require("the local address", freshet_easy_set_string(raw, CURLOPT_INTERFACE, device))
        }
        // The pieces of a long-lived response are short, and the handle can keep its buffer for as long as the response is
        // silent.
        freshet_easy_set_long(raw, CURLOPT_BUFFERSIZE, multi.isForLongLived ? 1024 : 64 * 1024)
        if multi.isForLongLived {
            // libcurl's search for a connection to share makes ten thousand connections slow to open.
            freshet_easy_set_long(raw, CURLOPT_FRESH_CONNECT, 1)
            freshet_easy_set_long(raw, CURLOPT_FORBID_REUSE, 1)
            // A peer that vanishes while the response is silent is noticed after about three minutes: 60 s, and nine probes.
            freshet_easy_set_long(raw, CURLOPT_TCP_KEEPALIVE, 1)
            freshet_easy_set_long(raw, CURLOPT_TCP_KEEPIDLE, 60)
            freshet_easy_set_long(raw, CURLOPT_TCP_KEEPINTVL, 15)
        }
    }

    /// The content codings that this libcurl decodes; `nil` if it decodes none.
    static let codings: String? = {
        let features = Int(freshet_version().pointee.features)
        let known = [
            ("gzip", CURL_VERSION_LIBZ), ("deflate", CURL_VERSION_LIBZ), ("br", freshet_has_brotli),
            ("zstd", freshet_has_zstd),
        ]
        .filter { features & Int($0.1) != 0 }.map(\.0)
        return known.isEmpty ? nil : known.joined(separator: ", ")
    }()

    /// Gives the transfer the bytes of the response before they are decoded.
    ///
    /// Only libcurl's debug callback receives them.
    func watchWire() {
        setDebugCallback { _, kind, bytes, count, context in
            if kind == CURLINFO_DATA_IN {
                OpaqueReference<CurlEasy>.object(at: context!)
                    .receive(onWire: UnsafeRawBufferPointer(start: bytes, count: count))
            }
            return 0
        }
    }

    /// Replaces libcurl's debug callback until the end of the transfer. It costs time, so most transfers have none.
    func setDebugCallback(_ callback: curl_debug_callback) {
        freshet_easy_set_pointer(raw, CURLOPT_DEBUGDATA, OpaqueReference.borrow(self))
        freshet_easy_set_on_debug(raw, callback)
        freshet_easy_set_long(raw, CURLOPT_VERBOSE, 1)
        state.set.insert(.debug)
    }

    /// Records how TLS ends, for a response that ends with its connection. Source: RFC 9112 section 9.8.
    ///
    /// libcurl can report any end as a success. At its last progress call, the connection still exists.
    func watchEnd() {
        freshet_easy_set_pointer(raw, CURLOPT_XFERINFODATA, OpaqueReference.borrow(self))
        freshet_easy_set_on_progress(raw) { context, _, _, _, _ in
            let easy = OpaqueReference<CurlEasy>.object(at: context!)
            easy.state.isCutOff = freshet_easy_tls_is_open(easy.raw) != 0
            return 0
        }
        freshet_easy_set_long(raw, CURLOPT_NOPROGRESS, 0)
        state.set.insert(.end)
    }

    /// Whether the other side has ended TLS on the connection of a running transfer.
    var hasTLSEnded: Bool { freshet_easy_openssl(raw) != nil && freshet_easy_tls_is_open(raw) == 0 }

    /// Closes the connection after this response if TLS has received more than the response.
    func closeIfSurplusBytes() {
        if freshet_easy_tls_has_more(raw) != 0 { closeAfterResponse() }
    }

    func closeAfterResponse() {
        freshet_easy_set_long(raw, CURLOPT_FORBID_REUSE, 1)
        state.set.insert(.last)
    }

    func removeEnd() {
        freshet_easy_set_long(raw, CURLOPT_NOPROGRESS, 1)
        state.isCutOff = false
    }

    /// The number of bytes that went out with the request of `transfer`.
    func requestSize(of transfer: CurlTransfer) -> Int {
        // libcurl counts a body with the head if both went out in one piece.
        let size = freshet_easy_get_long(raw, CURLINFO_REQUEST_SIZE)
        if let upload = transfer.state.upload {
            // Not every version counts the parts of a body that were sent after the head.
            let isCounted = size > upload.sizeBeforeBody
            return size + upload.taken - (isCounted ? Int(freshet_easy_get_offset(raw, CURLINFO_SIZE_UPLOAD_T)) : 0)
        }
        let body = transfer.state.request.body.length ?? 0
        return size > body ? size : size + body
    }
}
