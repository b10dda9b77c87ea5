import CFreshetCurl
import CFreshetMemory
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

    /// Whether the handle can serve another transfer after one that has ended well. A new handle costs a third more.
    func canBeKept() -> Bool { lastHeader.pin() }

    /// The object of libcurl's handle; `nil` for the handle that libcurl keeps for itself.
    static func of(_ raw: UnsafeMutableRawPointer) -> CurlEasy? {
        freshet_easy_get_private(raw).map { OpaqueReference.object(at: $0) }
    }

    /// The transfer that the handle serves, from ``serve(_:)`` to ``detachTransfer()``.
    var transfer: CurlTransfer? { state.transfer }

    func serve(_ transfer: CurlTransfer) { state.transfer = transfer }

    /// Releases the transfer after libcurl has finished with it.
    func detachTransfer() -> CurlTransfer? { state.transfer.take() }

    /// Calls `body` with the transfer. It is for libcurl's callbacks, during which the transfer stays the same.
    @inline(__always)
    func withRunning<Result>(or none: Result, _ body: (CurlTransfer) -> Result) -> Result {
        transfer.map(body) ?? none
    }

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

    private func setCallbacks() {
        let context = OpaqueReference.borrow(self)
        freshet_easy_set_pointer(raw, CURLOPT_WRITEDATA, context)
        freshet_easy_set_pointer(raw, CURLOPT_PREREQDATA, context)
        freshet_easy_set_pointer(raw, CURLOPT_OPENSOCKETDATA, context)
        // A connection outlives the handle that opened it, but not its multi.
        freshet_easy_set_pointer(raw, CURLOPT_CLOSESOCKETDATA, OpaqueReference.borrow(multi))

        freshet_easy_set_on_body(raw) { bytes, _, count, context in
            OpaqueReference<CurlEasy>.object(at: context!)
                .receive(UnsafeRawBufferPointer(start: bytes, count: count))
        }
        freshet_easy_set_pointer(raw, CURLOPT_HEADERDATA, context)
        freshet_easy_set_on_header(raw) { bytes, _, count, context in
            OpaqueReference<CurlEasy>.object(at: context!)
                .receive(headerLine: UnsafeRawBufferPointer(start: bytes, count: count))
        }
        freshet_easy_set_on_connected(raw) { context, address, _, port, localPort in
            OpaqueReference<CurlEasy>.object(at: context!)
                .connected(to: address, port: port, from: localPort)
        }
        freshet_easy_set_open_socket(raw) { context, _, address in
            OpaqueReference<CurlEasy>.object(at: context!).openSocket(address!)
        }
        freshet_easy_set_close_socket(raw) { context, fd in
            OpaqueReference<CurlMulti>.object(at: context!).closeSocket(fd)
        }
    }

    // MARK: Called by libcurl

    private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        freshet_tls_moved(freshet_easy_openssl(raw))
        return withRunning(or: 0) { transfer in
            if transfer.isDisposed { return 0 }
            let (isPauseWanted, call) = (transfer.isPauseWanted, callbackTime.pointee.call)
            if let hold = transfer.state.hold(isPauseWanted: isPauseWanted, in: call) {
                pause(transfer, hold)
                return freshet_write_pause
            }
            return transfer.apply(.body(bytes, callbackTime.pointee)) ? bytes.count : 0
        }
    }

    private func pause(_ transfer: CurlTransfer, _ hold: TransferStateMachine.Hold) {
        // A transfer that yields has a connection of its own, which does not count as kept after the first pause.
        let isRepeatedYield = hold == .untilNextTurn && transfer.state.wasHeld
        transfer.apply(.held(hold))
        if !isRepeatedYield { multi.connectionPaused(transfer.state.connectionIdentity) }
        multi.pauseChanged(of: transfer)
        if hold == .untilNextTurn { transfer.resumeInNextTurn() }
    }

    private func receive(headerLine bytes: UnsafeRawBufferPointer) -> Int {
        lastHeader.received(bytes)
        freshet_tls_moved(freshet_easy_openssl(raw))
        guard let lines = responseHead.append(bytes, at: callbackTime.pointee.time) else { return bytes.count }
        return withRunning(or: 0) { transfer in
            if transfer.isDisposed { return 0 }
            return transfer.apply(.lines(lines, callbackTime.pointee)) ? bytes.count : 0
        }
    }

    /// Hands on the lines that wait: trailers, or a head that was cut short.
    func endHead() {
        guard let lines = responseHead.removeAll() else { return }
        withRunning(or: ()) { _ = $0.apply(.lines(lines, callbackTime.pointee)) }
    }

    private func receive(onWire bytes: UnsafeRawBufferPointer) {
        withRunning(or: ()) { _ = $0.apply(.wire(bytes, callbackTime.pointee)) }
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

    private func connected(to address: UnsafeMutablePointer<CChar>?, port: Int32, from localPort: Int32) -> Int32 {
        if !state.opening.isEmpty { recordConnection(from: localPort) }
        if !state.loading.isEmpty { loaded() }
        return withRunning(or: CURL_PREREQFUNC_ABORT) { transfer in
            if transfer.isDisposed { return CURL_PREREQFUNC_ABORT }
            return transfer.requestSent(on: self, address: address, port: port, from: localPort)
                ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
    }

    /// Records the socket of the new connection. If several addresses were tried, the local port tells which socket it is.
    private func recordConnection(from localPort: Int32) {
        if let transfer, let originPool = transfer.state.entry.originPool,
            let fd = state.opening.count == 1
                ? state.opening[0] : state.opening.last(where: { freshet_local_port($0) == localPort })
        {
            if !multi.isForLongLived { freshet_widen(fd) }
            let isMultiplexed = transfer.state.isSecure && applicationProtocol == "h2"
            multi.made(fd, for: originPool, isMultiplexed: isMultiplexed)
        }
        state.opening.removeAll(keepingCapacity: true)
    }

    private func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        guard let transfer, let originPool = transfer.state.entry.originPool else { return freshet_socket_bad }
        if !state.loading.isEmpty { loaded() }
        let fd = freshet_open_socket(address)
        if fd < 0 {
            if LoopError(code: fd).isOutOfDescriptors { transfer.apply(.lacksDescriptors) }
            return freshet_socket_bad
        }
        multi.opened(fd)
        state.opening.append(fd)
        if transfer.state.hasAlternatives || transfer.state.expectsContinue { multi.watchForgotten() }
        if transfer.state.beginsConnection {
            transfer.apply(.opensSocket)
            if originPool.route?.proxy != nil, transfer.state.isSecure { watchTunnel() }
        }
        return fd
    }
}
