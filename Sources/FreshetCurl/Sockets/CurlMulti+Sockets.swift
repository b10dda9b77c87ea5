import CFreshetCurl
import FreshetLoop

// The sockets of a multi: how libcurl's reports about them are handled.
extension CurlMulti {
    func opened(_ fd: curl_socket_t) {
        state.descriptors.open(fd)
        // The previous socket with this number was closed without notice, and libcurl does not repeat which events it
        // wants.
        if let socket = state.descriptors.socket(of: fd) { state.descriptors.watch(socket.replaced()) }
    }

    /// Records a connection that is made. libcurl reports when it closes the connection.
    func made(_ fd: curl_socket_t, for originPool: OriginPool, isMultiplexed: Bool) {
        state.descriptors.made(fd, for: originPool, isMultiplexed: isMultiplexed)
        if isMultiplexed { idleSessionCheck.start() }
        originPool.open += 1
        pool.gauges.open.add(1)
    }

    func keptCountChanged(_ difference: Int, _ originPool: OriginPool) {
        pool.gauges.idle.add(difference)
        originPool.idle += difference
        // Connections that the end of the multi closes need no check.
        if !isForLongLived, !state.isClosed { reaper.countChanged(by: difference) }
    }

    /// The response on the connection is paused.
    ///
    /// libcurl reads available bytes at once, so it may not have asked to watch the socket since its last request.
    func connectionPaused(_ connection: ConnectionIdentity?) {
        for socket in state.descriptors.sockets where socket.isKept && socket.identity == connection {
            socket.connectionPaused()
        }
    }

    /// Counts the connection of an ended transfer as kept, if that transfer was paused and no other one uses the connection. libcurl
    /// has stopped watching the socket with the pause, and so does not report that it does.
    func pausedTransferEnded(_ easy: CurlEasy) {
        guard let transfer = easy.transfer, transfer.state.wasHeld || transfer.state.upload?.isPaused == true,
            // libcurl keeps no connection of a long-lived transfer, except for the others of an HTTP/2 connection.
            !isForLongLived || transfer.state.connection.isMultiplexed,
            let connection = transfer.state.connectionIdentity,
            !state.handles.active.contains(where: { $0.transfer?.state.connectionIdentity == connection })
        else { return }
        for socket in state.descriptors.sockets where !socket.isKept && socket.identity == connection {
            socket.pausedTransferEnded(behind: transfer.state.response.bodyEnd)
        }
    }

    func watch(_ fd: curl_socket_t, for what: Int32, _ easy: UnsafeMutableRawPointer?) {
        let kind = state.descriptors.kind(of: fd)
        if what == CURL_POLL_IN, kind == .connecting {
            transfer(of: easy)?.waitsForServer(on: fd)
        }
        guard what != CURL_POLL_REMOVE else {
            guard kind == .made else { return closeSocketObject(fd) }
            let transfer = transfer(of: easy)
            let isKept = transfer.map { !$0.state.isHeld && $0.state.upload?.isPaused != true } ?? false
            let end = transfer?.state.response.bodyEnd ?? .pending
            state.descriptors.socket(of: fd)?.park(isKept: isKept, behind: end)
            return
        }
        if state.handles.uploads > 0, kind == .made, let transfer = transfer(of: easy) {
            recordUpload(of: transfer, on: fd)
        }
        var events: LoopPoll.Events = []
        if what & CURL_POLL_IN != 0 { events.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { events.insert(.writable) }
        let socket = socket(of: fd)
        if PausedSockets.isActive { socket.transfer = transfer(of: easy) }
        socket.want(events)
    }

    private func socket(of fd: curl_socket_t) -> CurlSocket {
        if let socket = state.descriptors.socket(of: fd) { return socket }
        let socket = CurlSocket(fd, of: self)
        state.descriptors.watch(socket)
        return socket
    }

    private func recordUpload(of transfer: CurlTransfer, on fd: curl_socket_t) {
        guard let upload = transfer.state.upload, !transfer.state.isSecure else { return }
        if upload.socket != fd { _ = state.descriptors.removePendingResponse(on: upload.socket) }
        upload.socket = fd
        state.descriptors.sendsBody(on: fd)
    }

    /// Removes the bytes that were left on the connection of a failed transfer, and returns them.
    func removePendingResponse(to upload: CurlUpload) -> [UInt8] {
        state.descriptors.removePendingResponse(on: upload.socket)
    }

    /// The check of the kept connection on which a request is about to be sent; `nil` if the connection can have no surplus
    /// bytes.
    func staleResponseCheck(of connection: ConnectionIdentity) -> StaleResponseCheck? {
        var found: StaleResponseCheck?
        for fd in state.descriptors.suspects {
            guard let socket = state.descriptors.socket(of: fd), socket.isSuspect, socket.identity == connection
            else { continue }
            let more = StaleResponseCheck(on: fd)
            found = found.map { $0.isProven ? $0 : more } ?? more
        }
        return found
    }

    private func transfer(of easy: UnsafeMutableRawPointer?) -> CurlTransfer? {
        easy.flatMap(CurlEasy.of)?.transfer
    }

    private func closeSocketObject(_ fd: curl_socket_t) { state.descriptors.unwatch(fd)?.close() }

    func closeSocket(_ fd: curl_socket_t) -> Int32 {
        state.descriptors.readPendingResponse(on: fd)
        let originPool = state.descriptors.originPool(of: fd)
        if let originPool {
            let port = state.descriptors.socket(of: fd)?.port ?? freshet_local_port(fd)
            state.turn.recordEnding(of: ConnectionIdentity(originPool, from: port), byPeer: Self.isEnded(fd))
        }
        closeSocketObject(fd)
        if let originPool {
            originPool.open -= 1
            pool.gauges.open.add(-1)
        }
        state.descriptors.close(fd)
        return CFreshetCurl.close(fd)
    }

    /// Lets libcurl act on silent HTTP/2 connections. Ends all transfers of those that the other side has ended, because
    /// libcurl may have ended only one of them.
    ///
    /// - Returns: whether any HTTP/2 connection carries a transfer.
    func actOnSilentConnections() -> Bool {
        let connections = Set(state.handles.active.compactMap { $0.transfer?.state.multiplexedConnection })
        for socket in Array(state.descriptors.sockets) {
            guard socket.isSilent, holds(socket), let connection = socket.identity, connections.contains(connection)
            else { continue }
            act(on: socket.fd, CURL_CSELECT_IN)
            let left = state.handles.active.filter { $0.transfer?.state.multiplexedConnection == connection }
            if holds(socket), freshet_has_ended(socket.fd) != 0 || left.first?.hasTLSEnded == true {
                end(left, CURLE_PARTIAL_FILE)
            }
        }
        return !connections.isEmpty
    }

    /// Ends the transfer of an HTTP/1 connection that the other side has ended, if it waits for more of the request's body.
    ///
    /// libcurl reads no more then, and waits for the body too. A source can be silent for hours. The transfer waits on if it is
    /// unknown whether its response is complete.
    func endWaitingUpload(on socket: CurlSocket) {
        let connection = socket.port > 0 ? socket.identity : nil
        let waiting = state.handles.active.first { easy in
            guard let state = easy.transfer?.state, let upload = state.upload, upload.isPaused, !state.isHeld,
                !state.connection.isMultiplexed
            else { return false }
            return upload.socket == socket.fd || (connection != nil && state.connectionIdentity == connection)
        }
        guard let waiting, let isComplete = waiting.transfer?.state.response.endsWithConnection else { return }
        withExtendedLifetime(pool) { end([waiting], isComplete ? CURLE_OK : CURLE_PARTIAL_FILE) }
    }

    /// Holds back what is sent on the connection until libcurl returns.
    func cork(_ connection: ConnectionIdentity?) {
        let socket = state.descriptors.sockets.first { $0.identity == connection }
        if let fd = socket?.fd, let corked = EarlyResponses(on: fd) { corkedConnections.append(corked) }
    }

    /// Whether the other side has ended the connection. libcurl may have closed the connection in this turn.
    func hasEnded(_ connection: ConnectionIdentity) -> Bool {
        state.turn.endings[connection]
            ?? state.descriptors.sockets.contains { $0.identity == connection && Self.isEnded($0.fd) }
    }

    /// Whether the other side has ended a connection that has failed. OpenSSL reads nothing more from a connection on which it
    /// could not write, so bytes from before the reset may be left.
    private static func isEnded(_ fd: curl_socket_t) -> Bool { freshet_has_ended(fd) != 0 || freshet_is_reset(fd) != 0 }

    func holds(_ socket: CurlSocket) -> Bool { state.descriptors.socket(of: socket.fd) === socket }

    /// Records that the system refuses to watch a socket. libcurl gets the error as soon as it can be called.
    func cannotWatch(_ socket: CurlSocket) {
        state.descriptors.cannotWatch(socket)
        setDue()
    }

    func failUnwatchable() {
        while let socket = state.descriptors.popUnwatchable() {
            guard holds(socket) else { continue }
            inCurl {
                var count: Int32 = 0
                curl_multi_socket_action(raw, socket.fd, CURL_CSELECT_ERR, &count)
            }
        }
    }
}
