import CFreshetCurl
import FreshetCore
import FreshetLoop

// The functions that libcurl calls for every transfer of a handle.
extension CurlEasy {
    func setCallbacks() {
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

    private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        freshet_tls_moved(freshet_easy_openssl(raw))
        guard let transfer, !transfer.isDisposed else { return 0 }
        let (isPauseWanted, call) = (transfer.isPauseWanted, callbackTime.pointee.call)
        if let hold = transfer.state.hold(isPauseWanted: isPauseWanted, in: call) {
            pause(transfer, hold)
            return freshet_write_pause
        }
        return transfer.apply(.body(bytes, callbackTime.pointee)) ? bytes.count : 0
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
        guard let transfer, !transfer.isDisposed else { return 0 }
        return transfer.apply(.lines(lines, callbackTime.pointee)) ? bytes.count : 0
    }

    /// Hands on the lines that wait: trailers, or a head that was cut short.
    func endHead() {
        if let lines = responseHead.removeAll() { transfer?.apply(.lines(lines, callbackTime.pointee)) }
    }

    func receive(onWire bytes: UnsafeRawBufferPointer) {
        transfer?.apply(.wire(bytes, callbackTime.pointee))
    }

    private func connected(to address: UnsafeMutablePointer<CChar>?, port: Int32, from localPort: Int32) -> Int32 {
        if !state.opening.isEmpty { recordConnection(from: localPort) }
        if !state.loading.isEmpty { loaded() }
        guard let transfer, !transfer.isDisposed,
            transfer.requestSent(on: self, address: address, port: port, from: localPort)
        else { return CURL_PREREQFUNC_ABORT }
        return CURL_PREREQFUNC_OK
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
