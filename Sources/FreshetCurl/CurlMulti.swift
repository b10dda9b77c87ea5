import CFreshetCurl
import FreshetCore
import FreshetLoop

/// A multi handle on a loop: sockets, the timer, and the easy handles that it runs or keeps.
final class CurlMulti {
    let loop: Loop
    let isForLongLived: Bool
    /// Its number among the multis of the pool.
    let slot: Int
    private let raw: UnsafeMutableRawPointer
    private unowned(unsafe) let pool: CurlPool
    @exclusivity(unchecked) private var timer: LoopTimer!
    @exclusivity(unchecked) private var sweep: CurlSweep!
    /// By descriptor.
    @exclusivity(unchecked) private var sockets: [CurlSocket?] = []
    @exclusivity(unchecked) private var kinds: [SocketKind] = []
    /// Whose connections the descriptors are that are made.
    @exclusivity(unchecked) private var places: [AdmissionQueue.Place?] = []
    @exclusivity(unchecked) private var idle: [CurlEasy] = []
    @exclusivity(unchecked) private var unwatchable: [CurlSocket] = []
    @exclusivity(unchecked) private(set) var active: [CurlEasy] = []
    @exclusivity(unchecked) private var isDue = false
    /// When libcurl wants to act, in the loop's milliseconds, and when the timer fires, which is not later.
    @exclusivity(unchecked) private var wanted = Int64.max
    @exclusivity(unchecked) private var armed = Int64.max
    /// Those that have ended and are not sorted out yet.
    @exclusivity(unchecked) private var ended: [(CurlEasy, CURLcode)] = []
    @exclusivity(unchecked) private(set) var isClosed = false

    init?(for pool: CurlPool, isForLongLived: Bool) {
        guard let raw = curl_multi_init() else { return nil }
        self.raw = raw
        self.pool = pool
        self.isForLongLived = isForLongLived
        loop = pool.loop
        slot = pool.book.takeSlot()
        sweep = CurlSweep(of: self, raw, pool.configuration.pool)
        timer = LoopTimer(on: loop) { [unowned self] in timerFired() }
        // By default libcurl keeps few connections when few transfers run, and then opens them all again.
        let kept = isForLongLived ? 1 << 20 : max(pool.configuration.pool.maximumConnections, 64)
        freshet_multi_set_long(raw, CURLMOPT_MAXCONNECTS, kept)
        let context = Unmanaged.passUnretained(self).toOpaque()
        freshet_multi_set_on_timer(
            raw,
            { _, milliseconds, context in
                Unmanaged<CurlMulti>.fromOpaque(context!).takeUnretainedValue().setTimer(milliseconds)
                return 0
            }, context)
        freshet_multi_set_on_socket(
            raw,
            { easy, fd, what, context, _ in
                Unmanaged<CurlMulti>.fromOpaque(context!).takeUnretainedValue().watch(fd, for: what, easy)
                return 0
            }, context)
    }

    /// Closes all connections; nothing runs any more.
    func close() {
        precondition(active.isEmpty, "a multi was closed under its transfers")
        isClosed = true
        idle = []
        sweep.close()
        curl_multi_cleanup(raw)
        for socket in sockets { socket?.close() }
        sockets = []
        timer.close()
        pool.book.giveBack(slot)
    }

    var tls: TLSMaterial { pool.tls }

    func loadingList(_ destinations: [Destination]) -> CurlList {
        pool.book.loadingList(destinations, in: slot)
    }

    // MARK: Transfers

    /// Keeps no more than `count` connections, which are closed one with each transfer that ends.
    func keep(atMost count: Int) {
        if !isForLongLived { freshet_multi_set_long(raw, CURLMOPT_MAXCONNECTS, count) }
    }

    /// Takes a handle off the shelf, or makes one; `nil` if there is no memory.
    func easy() -> CurlEasy? {
        idle.popLast() ?? CurlEasy(for: self, configuration: pool.configuration)
    }

    func add(_ easy: CurlEasy) -> Bool {
        guard pool.inCurl({ curl_multi_add_handle(raw, easy.raw) }) == CURLM_OK else {
            recycle(easy, isWell: false)
            return false
        }
        easy.position = active.count
        active.append(easy)
        return true
    }

    /// Takes the handle back, whether its transfer has ended or not.
    func remove(_ easy: CurlEasy) {
        pool.inCurl { _ = curl_multi_remove_handle(raw, easy.raw) }
        let last = active.removeLast()
        if last !== easy {
            active[easy.position] = last
            last.position = easy.position
        }
    }

    /// - Parameter isWell: whether its transfer was completed.
    func recycle(_ easy: CurlEasy, isWell: Bool) {
        let isPlain = easy.set.isDisjoint(with: [.upload, .route])
        easy.clear()
        if isWell, isPlain, !isClosed, idle.count < 128, easy.canBeKept() { idle.append(easy) }
    }

    /// Lets it go on in the directions in which nobody holds it.
    func unpause(_ easy: CurlEasy) {
        var paused = freshet_pause_none
        if easy.transfer?.isHeld == true { paused |= freshet_pause_receiving }
        if easy.transfer?.upload?.isPaused == true { paused |= freshet_pause_sending }
        pool.inCurl { _ = curl_easy_pause(easy.raw, paused) }
    }

    func act(on fd: curl_socket_t, _ mask: Int32) {
        if fd == freshet_socket_timeout {
            isDue = false
            wanted = .max
        }
        pool.inCurl {
            var count: Int32 = 0
            curl_multi_socket_action(raw, fd, mask, &count)
        }
        failUnwatchable()
        var left: Int32 = 0
        while let message = curl_multi_info_read(raw, &left) {
            guard message.pointee.msg == CURLMSG_DONE else { continue }
            guard let easy = CurlEasy.of(message.pointee.easy_handle) else {
                _ = sweep.takeEnd(of: message.pointee.easy_handle)
                continue
            }
            let code = message.pointee.data.result
            remove(easy)
            ended.append((easy, code))
        }
        guard !ended.isEmpty else { return pool.runCommands() }
        var ended: [(CurlEasy, CURLcode)] = []
        swap(&ended, &self.ended)
        pool.finished(ended)
        if ended.count == 1 { ended.removeLast() } else { ended.removeAll(keepingCapacity: true) }
        swap(&ended, &self.ended)
    }

    // MARK: Sockets, called by libcurl

    private func setTimer(_ milliseconds: Int) {
        if milliseconds == 0 { return setDue() }
        isDue = false
        wanted = milliseconds < 0 ? .max : loop.turnMilliseconds + Int64(milliseconds)
        // A timer that is set too early stays: libcurl sets its own several times for each transfer, and nearly all are
        // taken back.
        if wanted < armed {
            armed = wanted
            timer.start(after: .milliseconds(milliseconds))
        }
    }

    private func timerFired() {
        armed = .max
        let left = wanted - loop.turnMilliseconds
        if left <= 0 {
            act(on: freshet_socket_timeout, 0)
        } else if wanted < .max {
            armed = wanted
            timer.start(after: .milliseconds(left))
        }
    }

    private func setDue() {
        if !isDue { pool.isDue(self) }
        isDue = true
    }

    /// What libcurl wants done at once: not from within its callback, but in this turn of the loop.
    func actIfDue() {
        guard isDue, !isClosed else { return }
        act(on: freshet_socket_timeout, 0)
    }

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
    func isHeld(from port: Int) {
        for case let socket? in sockets where socket.isKept {
            if max(0, Int(freshet_local_port(socket.fd))) == max(0, port) { socket.isHeld() }
        }
    }

    private func watch(_ fd: curl_socket_t, for what: Int32, _ easy: UnsafeMutableRawPointer?) {
        grow(to: fd)
        if what == CURL_POLL_IN, kinds[Int(fd)] == .connecting {
            easy.flatMap(CurlEasy.of)?.transfer?.waitsForServer(on: fd)
        }
        let socket = sockets[Int(fd)]
        guard what != CURL_POLL_REMOVE else {
            if kinds[Int(fd)] == .made {
                let transfer = easy.flatMap(CurlEasy.of)?.transfer
                socket?.park(isKept: transfer.map { !$0.isHeld && $0.upload?.isPaused != true } ?? false)
            } else {
                socket?.close()
                sockets[Int(fd)] = nil
            }
            return
        }
        var events: LoopPoll.Events = []
        if what & CURL_POLL_IN != 0 { events.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { events.insert(.writable) }
        if let socket { return socket.want(events) }
        let new = CurlSocket(fd, of: self)
        sockets[Int(fd)] = new
        new.want(events)
    }

    func closeSocket(_ fd: curl_socket_t) -> Int32 {
        if fd < sockets.count {
            sockets[Int(fd)]?.close()
            sockets[Int(fd)] = nil
            kinds[Int(fd)] = .foreign
            if let place = places[Int(fd)] {
                place.open -= 1
                pool.gauges.open.add(-1)
                places[Int(fd)] = nil
            }
        }
        return CFreshetCurl.close(fd)
    }

    /// A kept connection has come to its end.
    func noteDeath() {
        if !isClosed { sweep.lookSoon() }
    }

    /// Takes a handle in that is no transfer's.
    func begin(_ handle: UnsafeMutableRawPointer) {
        pool.inCurl { _ = curl_multi_add_handle(raw, handle) }
    }

    func end(_ handle: UnsafeMutableRawPointer) {
        pool.inCurl { _ = curl_multi_remove_handle(raw, handle) }
    }

    func holds(_ socket: CurlSocket) -> Bool {
        Int(socket.fd) < sockets.count && sockets[Int(socket.fd)] === socket
    }

    /// Notes that the system refuses to watch a socket; libcurl is told when it can be.
    func cannotWatch(_ socket: CurlSocket) {
        unwatchable.append(socket)
        setDue()
    }

    private func failUnwatchable() {
        while let socket = unwatchable.popLast() {
            guard holds(socket) else { continue }
            pool.inCurl {
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
