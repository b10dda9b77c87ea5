import CFreshetCurl
import FreshetHTTP
import FreshetLoop

// The events that libcurl's callbacks report to a transfer.
extension CurlTransfer {
    /// libcurl waits to read from a new connection: the connection is made, and its TLS handshake has begun. Through a
    /// proxy, the tunnel has to be made first.
    func waitsForServer(on fd: curl_socket_t) {
        if state.route?.proxy == nil { handshakeBegan(on: fd) }
    }

    /// The TLS handshake with the server has begun on a new connection.
    func handshakeBegan(on fd: curl_socket_t) {
        guard state.isBeforeTLS else { return }
        apply(.handshakeBegan(address: PeerAddress.text(of: fd), at: pool.loop.turnMilliseconds))
    }

    /// The request is about to go out.
    ///
    /// - Returns: whether it may be sent.
    func requestSent(
        on easy: CurlEasy, address: UnsafePointer<CChar>?, port: Int32, from localPort: Int32
    ) -> Bool {
        let multi = easy.multi
        let isSuspect = !multi.state.descriptors.suspects.isEmpty && !state.connection.isNew
        let identity = isSuspect ? state.entry.originPool.map { ConnectionIdentity($0, from: localPort) } : nil
        return apply(
            .requestSent(
                TransferStateMachine.Outgoing(
                    time: easy.callbackTime.pointee.time, localPort: localPort,
                    errorNumber: freshet_easy_get_long(easy.raw, CURLINFO_OS_ERRNO),
                    address: state.connection.isAnnounced ? nil : easy.state.peer.text(of: address, port),
                    applicationProtocol: state.isSecure ? easy.applicationProtocol : nil,
                    staleResponseCheck: identity.flatMap(multi.staleResponseCheck))))
    }

    /// Whether the receiver takes no part of the body for now.
    var isPausedByReceiver: Bool { state.hold == .byReceiver || isPauseWanted }

    /// Fails the transfer, because the server floods the connection with HTTP/2 frames that belong to no request.
    func floodDetected() {
        if state.failure != nil { return }
        recordWhatWasSent()
        apply(.failed(.protocol, "the server sends HTTP/2 without an end that belongs to no request", .useHTTP1))
    }

    /// Records how much of the request was sent before a failure, which can be the whole request.
    func recordWhatWasSent() {
        if state.stage == .sending { recordProgress() }
    }

    /// Records the progress of the transfer now, and returns it.
    @discardableResult
    func recordProgress() -> TransferStateMachine.Progress {
        let easy = state.easy
        let uploaded = state.needsUploaded ? easy.map { freshet_easy_get_offset($0.raw, CURLINFO_SIZE_UPLOAD_T) } : nil
        let progress = TransferStateMachine.Progress(
            now: pool.loop.now, uploaded: uploaded.map { Int64($0) },
            latestLine: easy?.responseHead.time ?? 0, isPauseWanted: isPauseWanted,
            isConnected: easy?.isConnectedToPeer == true)
        apply(.progressed(progress))
        return progress
    }
}
