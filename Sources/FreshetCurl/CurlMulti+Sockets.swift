import CFreshetCurl
import FreshetLoop

// Its sockets: what libcurl says of them, and what becomes of each.
extension CurlMulti {
    func opened(_ fd: curl_socket_t) {
        grow(to: fd)
        kinds[Int(fd)] = .connecting
        // What had the number before was closed without a word, and libcurl does not say again what it wants.
        sockets[Int(fd)]?._withUnsafeGuaranteedRef { $0.reopen() }
    }

    /// A connection is made, and libcurl will say when it closes it.
    func made(_ fd: curl_socket_t, for place: AdmissionQueue.Place) {
        kinds[Int(fd)] = .made
        places[Int(fd)] = place
        sockets[Int(fd)]?._withUnsafeGuaranteedRef { $0.place = place }
        place.open += 1
        pool.gauges.open.add(1)
    }

    func noteKept(_ difference: Int, _ place: AdmissionQueue.Place) {
        lent(pool) { $0.gauges.idle.add(difference) }
        place.idle += difference
        // Held as long as this is.
        if !isForLongLived { lent(sweep) { $0.note(difference) } }
    }

    /// The answer on the connection from this port is held. libcurl may not have asked for it to be watched since its last
    /// request, for what is there at once is read at once. Of connections without ports it could be any.
    func noteHeld(from port: Int) {
        for held in sockets {
            held?._withUnsafeGuaranteedRef { socket in
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
            var isEndApart = false
            let isKept = withTransfer(of: easy, or: false) {
                isEndApart = $0.isEndApart
                return !$0.isHeld && $0.upload?.isPaused != true
            }
            sockets[Int(fd)]?._withUnsafeGuaranteedRef { $0.park(isKept: isKept, looking: isEndApart) }
            return
        }
        if uploads > 0, kind == .made { withTransfer(of: easy, or: ()) { noteUpload(of: $0, on: fd) } }
        var events: LoopPoll.Events = []
        if what & CURL_POLL_IN != 0 { events.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { events.insert(.writable) }
        if sockets[Int(fd)] == nil { sockets[Int(fd)] = .passRetained(CurlSocket(fd, of: self)) }
        sockets[Int(fd)]?._withUnsafeGuaranteedRef { $0.want(events) }
    }

    private func noteUpload(of transfer: CurlTransfer, on fd: curl_socket_t) {
        guard let upload = transfer.upload, !transfer.isSecure else { return }
        upload.socket = fd
        lastWords[fd] = []
    }

    /// What was left on the connection of a transfer that has failed.
    func takeLastWords(to upload: CurlUpload) -> [UInt8] {
        lastWords.removeValue(forKey: upload.socket) ?? []
    }

    /// Notes a kept connection whose last answer came in pieces, or without a body: a server that sends more than it said
    /// sends that right behind, when the next request may be on its way already.
    func suspect(_ fd: curl_socket_t) {
        if !suspects.contains(fd) { suspects.append(fd) }
    }

    func forgetSuspects() {
        suspects.removeAll { fd in
            sockets[Int(fd)]?._withUnsafeGuaranteedRef { !$0.isSuspect } ?? true
        }
    }

    /// What is known of the connection from this port, on which a request is about to be sent; `nil` if nothing speaks against
    /// it. Of connections without ports it could be any.
    func suspicion(from port: Int32) -> Suspicion? {
        var found: Suspicion?
        for fd in suspects {
            sockets[Int(fd)]?._withUnsafeGuaranteedRef { socket in
                guard socket.isSuspect, max(0, socket.port) == max(0, port) else { return }
                let more = Suspicion(on: fd)
                found = found.map { $0.isProven ? $0 : more } ?? more
            }
        }
        return found
    }

    private func withTransfer<Result>(
        of easy: UnsafeMutableRawPointer?, or none: Result, _ body: (CurlTransfer) -> Result
    ) -> Result {
        easy.flatMap(CurlEasy.of)?._withUnsafeGuaranteedRef { $0.withRunning(or: none, body) } ?? none
    }

    func closeSocketObject(_ fd: Int) {
        guard let socket = sockets[fd].take() else { return }
        socket.takeRetainedValue().close()
    }

    func closeSocket(_ fd: curl_socket_t) -> Int32 {
        if !lastWords.isEmpty, lastWords[fd] != nil { lastWords[fd] = CurlTransfer.lastWords(on: fd) }
        if fd < sockets.count {
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

    func holds(_ socket: CurlSocket) -> Bool {
        Int(socket.fd) < sockets.count
            && sockets[Int(socket.fd)]?.toOpaque() == Unmanaged.passUnretained(socket).toOpaque()
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
