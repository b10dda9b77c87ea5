import CFreshetCurl
import FreshetLoop

// Its sockets: what libcurl says of them, and what becomes of each.
extension CurlMulti {
    func opened(_ fd: curl_socket_t) {
        grow(to: fd)
        kinds[Int(fd)] = .connecting
        // What had the number before was closed without a word, and libcurl does not say again what it wants.
        sockets[Int(fd)]?.reopen()
    }

    /// A connection is made, and libcurl will say when it closes it.
    func made(_ fd: curl_socket_t, for place: AdmissionQueue.Place) {
        kinds[Int(fd)] = .made
        places[Int(fd)] = place
        sockets[Int(fd)]?.place = place
        place.open += 1
        pool.gauges.open.add(1)
    }

    func noteKept(_ difference: Int, _ place: AdmissionQueue.Place) {
        pool.gauges.idle.add(difference)
        place.idle += difference
        if !isForLongLived { sweep.note(difference) }
    }

    /// The answer on the connection from this port is held. libcurl may not have asked for it to be watched since its last
    /// request, for what is there at once is read at once. Of connections without ports it could be any.
    func noteHeld(from port: Int) {
        for held in sockets {
            if let socket = held {
                guard socket.isKept, max(0, Int(freshet_local_port(socket.fd))) == max(0, port) else { return }
                socket.noteHeld()
            }
        }
    }

    func watch(_ fd: curl_socket_t, for what: Int32, _ easy: UnsafeMutableRawPointer?) {
        grow(to: fd)
        let kind = kinds[Int(fd)]
        if what == CURL_POLL_IN, kind == .connecting {
            withTransfer(of: easy, or: ()) { $0.waitsForServer(on: fd) }
        }
        guard what != CURL_POLL_REMOVE else {
            guard kind == .made else { return closeSocketObject(Int(fd)) }
            var end = BodyEnd.ahead
            let isKept = withTransfer(of: easy, or: false) {
                end = $0.state.response.bodyEnd
                return !$0.state.isHeld && $0.state.upload?.isPaused != true
            }
            sockets[Int(fd)]?.park(isKept: isKept, behind: end)
            return
        }
        if uploads > 0, kind == .made { withTransfer(of: easy, or: ()) { noteUpload(of: $0, on: fd) } }
        var events: LoopPoll.Events = []
        if what & CURL_POLL_IN != 0 { events.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { events.insert(.writable) }
        if sockets[Int(fd)] == nil { sockets[Int(fd)] = CurlSocket(fd, of: self) }
        sockets[Int(fd)]?.want(events)
    }

    private func noteUpload(of transfer: CurlTransfer, on fd: curl_socket_t) {
        guard let upload = transfer.state.upload, !transfer.state.isSecure else { return }
        upload.socket = fd
        pendingResponses[fd] = []
    }

    /// What was left on the connection of a transfer that has failed.
    func takePendingResponse(to upload: CurlUpload) -> [UInt8] {
        pendingResponses.removeValue(forKey: upload.socket) ?? []
    }

    /// Notes a kept connection whose last answer came in pieces, or without a body: a server that sends more than it said
    /// sends that right behind, when the next request may be on its way already.
    func suspect(_ fd: curl_socket_t) {
        if !suspects.contains(fd) { suspects.append(fd) }
    }

    func forgetSuspects() {
        suspects.removeAll { fd in
            sockets[Int(fd)]?.isSuspect != true
        }
    }

    /// What is known of the connection from this port, on which a request is about to be sent; `nil` if nothing speaks against
    /// it. Of connections without ports it could be any.
    func suspicion(from port: Int32) -> Suspicion? {
        var found: Suspicion?
        for fd in suspects {
            guard let socket = sockets[Int(fd)], socket.isSuspect, max(0, socket.port) == max(0, port) else { continue }
            let more = Suspicion(on: fd)
            found = found.map { $0.isProven ? $0 : more } ?? more
        }
        return found
    }

    private func withTransfer<Result>(
        of easy: UnsafeMutableRawPointer?, or none: Result, _ body: (CurlTransfer) -> Result
    ) -> Result {
        easy.flatMap(CurlEasy.of)?.withRunning(or: none, body) ?? none
    }

    func closeSocketObject(_ fd: Int) {
        guard let socket = sockets[fd].take() else { return }
        socket.close()
    }

    func closeSocket(_ fd: curl_socket_t) -> Int32 {
        if !pendingResponses.isEmpty, pendingResponses[fd] != nil {
            pendingResponses[fd] = PendingResponse.read(from: fd)
        }
        if fd < sockets.count {
            if kinds[Int(fd)] == .made {
                let port = sockets[Int(fd)]?.port ?? freshet_local_port(fd)
                endings[port] = freshet_has_ended(fd) != 0
            }
            closeSocketObject(Int(fd))
            kinds[Int(fd)] = .foreign
            if let place = places[Int(fd)] {
                place.open -= 1
                pool.gauges.open.add(-1)
                places[Int(fd)] = nil
            }
        }
        return CFreshetCurl.close(fd)
    }

    /// Acts on HTTP/2 connections that are silent, and ends the transfers of those that the other side has ended: libcurl may
    /// have told a single one.
    ///
    /// - Returns: whether any HTTP/2 connection carries something.
    func actOnSilent() -> Bool {
        let ports = Set(active.compactMap { $0.transfer?.state.multiplexedPort })
        for socket in sockets.compactMap(\.self) where ports.contains(socket.port) && socket.isSilent && holds(socket) {
            act(on: socket.fd, CURL_CSELECT_IN)
            let left = active.filter { $0.transfer?.state.multiplexedPort == socket.port }
            if holds(socket), freshet_has_ended(socket.fd) != 0 || left.first?.hasTLSEnded == true { lose(left) }
        }
        return !ports.isEmpty
    }

    /// Holds back what is sent on the connection from this port until the end of the turn.
    func cork(from port: Int32) {
        let socket = sockets.lazy.compactMap(\.self).first { $0.port == port }
        if let fd = socket?.fd, let corked = EarlyResponses(on: fd) { self.corked.append(corked) }
    }

    /// Whether the other side has ended the connection from this port, which libcurl may have closed in this turn.
    func hasEnded(from port: Int32) -> Bool {
        if let hasEnded = endings[port] { return hasEnded }
        return sockets.contains { held in
            held.map { $0.port == port && freshet_has_ended($0.fd) != 0 } ?? false
        }
    }

    func holds(_ socket: CurlSocket) -> Bool {
        Int(socket.fd) < sockets.count
            && sockets[Int(socket.fd)] === socket
    }

    /// Notes that the system refuses to watch a socket; libcurl is told when it can be.
    func cannotWatch(_ socket: CurlSocket) {
        unwatchable.append(socket)
        setDue()
    }

    func failUnwatchable() {
        while let socket = unwatchable.popLast() {
            guard holds(socket) else { continue }
            inCurl {
                var count: Int32 = 0
                curl_multi_socket_action(raw, socket.fd, CURL_CSELECT_ERR, &count)
            }
        }
    }

    private func grow(to fd: curl_socket_t) {
        while sockets.count <= Int(fd) {
            sockets.append(nil)
            kinds.append(.foreign)
            places.append(nil)
        }
    }
}
