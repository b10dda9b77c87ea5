import CFreshetCurl
import FreshetCore
import FreshetLoop

/// A multi handle on a loop: sockets, the timer, and the easy handles that it runs or keeps.
final class CurlMulti {
    let loop: Loop
    let isForLongLived: Bool
    /// Its number among the multis of the pool.
    let slot: Int
    let raw: UnsafeMutableRawPointer
    unowned let pool: CurlPool
    /// Now, as long as libcurl is called: where its callbacks find it soon.
    let moment = UnsafeMutablePointer<TransferStateMachine.Moment>.allocate(capacity: 1)
    /// What OpenSSL tells of the connections.
    let tlsObserver = UnsafeMutablePointer<freshet_tls_observer>.allocate(capacity: 1)
    private var timer: LoopTimer!
    private(set) var reaper: IdleConnectionReaper!
    private(set) var idleSessionTimer: IdleSessionTimer!
    var state = State()
    /// The connections whose requests are sent in one piece while libcurl acts.
    var corked: [EarlyResponses] = []

    init?(for pool: CurlPool, isForLongLived: Bool) {
        guard let raw = curl_multi_init() else { return nil }
        self.raw = raw
        self.pool = pool
        self.isForLongLived = isForLongLived
        loop = pool.loop
        moment.initialize(to: TransferStateMachine.Moment(time: loop.turnMilliseconds, call: 0))
        slot = pool.state.dnsCache.allocateSlot()
        reaper = IdleConnectionReaper(of: self, raw, pool.configuration.pool)
        timer = LoopTimer(on: loop) { [unowned self] in timerFired() }
        idleSessionTimer = IdleSessionTimer(on: loop) { [unowned self] in actOnSilent() }
        // By default libcurl keeps few connections when few transfers run, and then opens them all again.
        let kept = isForLongLived ? 1 << 20 : max(pool.configuration.pool.maximumConnections, 64)
        freshet_multi_set_long(raw, CURLMOPT_MAXCONNECTS, kept)
        observeTLS()
        let context = OpaqueReference.borrow(self)
        freshet_multi_set_on_timer(
            raw,
            { _, milliseconds, context in
                OpaqueReference<CurlMulti>.object(at: context!).setTimer(milliseconds)
                return 0
            }, context)
        freshet_multi_set_on_socket(
            raw,
            { easy, fd, what, context, _ in
                OpaqueReference<CurlMulti>.object(at: context!).watch(fd, for: what, easy)
                return 0
            }, context)
    }

    deinit {
        moment.deallocate()
        tlsObserver.deallocate()
    }

    /// Closes all connections; nothing runs any more.
    func close() {
        precondition(state.handles.active.isEmpty, "a multi was closed under its transfers")
        state.isClosed = true
        state.handles.dropIdle()
        reaper.close()
        curl_multi_cleanup(raw)
        for socket in state.descriptors.closeAll() { socket.close() }
        timer.close()
        idleSessionTimer.close()
        pool.state.dnsCache.freeSlot(slot)
    }

    var tls: TLSMaterial { pool.tls }

    func loadingList(_ destinations: [Destination]) -> CurlList {
        pool.state.dnsCache.loadingList(destinations, in: slot)
    }

    // MARK: Transfers

    /// Keeps no more than `count` connections, which are closed one with each transfer that ends.
    func keep(atMost count: Int) {
        if !isForLongLived { freshet_multi_set_long(raw, CURLMOPT_MAXCONNECTS, count) }
    }

    /// Takes a handle off the shelf, or makes one; `nil` if there is no memory.
    func easy() -> CurlEasy? {
        state.handles.popIdle() ?? CurlEasy(for: self, configuration: pool.configuration)
    }

    func add(_ easy: CurlEasy) -> Bool {
        guard inCurl({ curl_multi_add_handle(raw, easy.raw) }) == CURLM_OK else {
            recycle(easy, isWell: false)
            return false
        }
        state.handles.add(easy)
        return true
    }

    /// Takes the handle back, whether its transfer has ended or not.
    func remove(_ easy: CurlEasy) {
        inCurl { _ = curl_multi_remove_handle(raw, easy.raw) }
        state.handles.remove(easy)
    }

    /// The handle may be gone afterwards.
    ///
    /// - Parameter isWell: whether its transfer was completed.
    func recycle(_ easy: CurlEasy, isWell: Bool) {
        let isPlain = easy.state.set.isDisjoint(with: [.upload, .route])
        easy.clear()
        if isWell, isPlain, !state.isClosed, easy.canBeKept() { state.handles.keep(easy) }
    }

    // Whoever calls holds the pool.
    @inline(__always)
    func inCurl<Result>(_ body: () -> Result) -> Result {
        moment.pointee = TransferStateMachine.Moment(
            time: loop.turnMilliseconds, call: moment.pointee.call &+ 1)
        tlsObserver.pointee.current = nil
        return pool.inCurl(body)
    }

    /// Lets it go on in the directions in which nobody holds it.
    func unpause(_ easy: CurlEasy) {
        var paused = freshet_pause_none
        if easy.transfer?.state.isHeld == true { paused |= freshet_pause_receiving }
        if easy.transfer?.state.upload?.isPaused == true { paused |= freshet_pause_sending }
        inCurl { _ = curl_easy_pause(easy.raw, paused) }
    }

    /// So many that have ended are sorted out at once, within the turn: many more would have left the processor's cache.
    private static let together = 32

    /// Lets libcurl act. Transfers that have ended are sorted out together, at the latest after all sockets of the turn, so that
    /// the requests that follow them go out together: a server that gets one request after the other falls asleep before each,
    /// and waking it takes our time.
    func act(on fd: curl_socket_t, _ mask: Int32) {
        // A command may let go of the last that holds the pool.
        withExtendedLifetime(pool) {
            let running = work(on: fd, mask)
            list()
            if state.handles.active.count - running >= Self.together {
                sortOutEnds()
                if state.timer.isDue, !state.isClosed { work(on: freshet_socket_timeout, 0) }
            }
            pool.runCommands()
        }
    }

    /// - Returns: how many have not ended.
    @discardableResult
    private func work(on fd: curl_socket_t, _ mask: Int32) -> Int {
        if fd == freshet_socket_timeout { state.timer.begin() }
        var running: Int32 = 0
        inCurl { _ = curl_multi_socket_action(raw, fd, mask, &running) }
        for connection in corked { connection.finish() }
        corked.removeAll(keepingCapacity: true)
        failUnwatchable()
        return Int(running)
    }

    private func sortOutEnds() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(raw, &left) {
            guard message.pointee.msg == CURLMSG_DONE else { continue }
            guard let easy = CurlEasy.of(message.pointee.easy_handle) else {
                _ = reaper.consumeEnd(of: message.pointee.easy_handle)
                continue
            }
            let code = message.pointee.data.result
            remove(easy)
            state.handles.end(easy, code)
        }
        defer { state.turn.forget() }
        let ended = state.handles.popEnded()
        if ended.isEmpty { pool.runCommands() } else { pool.finished(ended) }
    }

    /// Ends transfers whose connection has ended.
    func lose(_ easies: [CurlEasy]) {
        for easy in easies {
            remove(easy)
            state.handles.end(easy, CURLE_PARTIAL_FILE)
        }
        sortOutEnds()
    }

    // MARK: The timer, called by libcurl

    private func setTimer(_ milliseconds: Int) {
        if milliseconds == 0 { return setDue() }
        if let span = state.timer.set(milliseconds, at: loop.turnMilliseconds) {
            timer.start(after: .milliseconds(span))
        }
    }

    private func timerFired() {
        switch state.timer.fired(at: loop.turnMilliseconds) {
        case .act: act(on: freshet_socket_timeout, 0)
        case .wait(let span): timer.start(after: .milliseconds(span))
        case .nothing: break
        }
    }

    func setDue() {
        state.timer.setDue()
        list()
    }

    private func list() {
        if state.turn.isListed { return }
        state.turn.isListed = true
        pool.isDue(self)
    }

    /// What is done once in a turn of the loop, after its sockets: what has ended, and what libcurl wants done at once, which
    /// is not to be done within its callback.
    func endTurn() {
        guard !state.isClosed else { return }
        // What ends may be the last that holds the pool.
        withExtendedLifetime(pool) {
            sortOutEnds()
            state.turn.isListed = false
            state.descriptors.removeSuspects()
            guard state.timer.isDue, !state.isClosed else { return }
            work(on: freshet_socket_timeout, 0)
            sortOutEnds()
        }
    }

    /// A kept connection has come to its end.
    func connectionDied() {
        if !state.isClosed { reaper.lookSoon() }
    }

    /// Takes a handle in that is no transfer's.
    func begin(_ handle: UnsafeMutableRawPointer) {
        inCurl { _ = curl_multi_add_handle(raw, handle) }
    }

    func end(_ handle: UnsafeMutableRawPointer) {
        inCurl { _ = curl_multi_remove_handle(raw, handle) }
    }
}
