import CFreshetCurl
import FreshetCore
import FreshetLoop

/// A multi handle on a loop, with its sockets, its timer, and the easy handles that it runs or keeps.
final class CurlMulti {
    let loop: Loop
    let isForLongLived: Bool
    /// Its number among the multis of the pool.
    let slot: Int
    let raw: UnsafeMutableRawPointer
    unowned let pool: CurlPool
    /// The time of the present call of libcurl, in memory that its callbacks reach quickly.
    let callbackTime = UnsafeMutablePointer<TransferStateMachine.CallbackTime>.allocate(capacity: 1)
    /// The observer of the TLS connections.
    let tlsObserver = UnsafeMutablePointer<freshet_tls_observer>.allocate(capacity: 1)
    private var timer: LoopTimer!
    private(set) var reaper: IdleConnectionReaper!
    /// Lets libcurl act on silent HTTP/2 connections.
    ///
    /// nghttp2 ends a session in which the server breaks the rules. libcurl may learn of that only when it acts on the socket
    /// again. The server then waits for the client, so no bytes come that would make libcurl act.
    private(set) var idleSessionCheck: PeriodicCheck!
    private(set) var stalledUploadCheck: PeriodicCheck!
    private(set) var forgottenCheck: PeriodicCheck!
    #if DEBUG
        var state = State()
    #else
        // Debug builds, in which the tests run, check exclusivity: see the page ExclusivityChecksStayOn.
        @exclusivity(unchecked) var state = State()
    #endif
    /// The connections whose requests are sent in one piece while libcurl acts.
    var corkedConnections: [EarlyResponses] = []

    init?(for pool: CurlPool, isForLongLived: Bool) {
        guard let raw = curl_multi_init() else { return nil }
        self.raw = raw
        self.pool = pool
        self.isForLongLived = isForLongLived
        loop = pool.loop
        callbackTime.initialize(to: TransferStateMachine.CallbackTime(time: loop.turnMilliseconds, call: 0))
        slot = pool.state.dnsCache.allocateSlot()
        reaper = IdleConnectionReaper(of: self, pool.configuration.pool)
        timer = LoopTimer(on: loop) { [unowned self] in timerFired() }
        idleSessionCheck = PeriodicCheck(on: loop, every: .seconds(1)) { [unowned self] in actOnSilentConnections() }
        stalledUploadCheck = PeriodicCheck(on: loop, every: StalledUploads.rest) { [unowned self] in
            wakeStalledUploads()
            return false
        }
        forgottenCheck = PeriodicCheck(on: loop, every: ForgottenTransfers.span) { [unowned self] in
            continueForgotten()
        }
        // By default libcurl keeps four connections per added handle. With few handles, it would close connections that
        // the next requests need.
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
        callbackTime.deallocate()
        tlsObserver.deallocate()
    }

    /// Closes all connections. No transfer may run.
    func close() {
        precondition(state.handles.active.isEmpty, "a multi was closed under its transfers")
        state.isClosed = true
        withExtendedLifetime(state.handles.takeIdle()) {}
        reaper.close()
        curl_multi_cleanup(raw)
        for socket in state.descriptors.closeAll() { socket.close() }
        timer.close()
        idleSessionCheck.close()
        stalledUploadCheck.close()
        forgottenCheck.close()
        pool.state.dnsCache.freeSlot(slot)
    }

    var tls: TLSMaterial { pool.tls }

    func loadingList(_ destinations: [Destination]) -> CurlList {
        pool.state.dnsCache.loadingList(destinations, in: slot)
    }

    // MARK: Transfers

    /// Limits the kept connections to `count`. While there are more, libcurl closes one of them per transfer that ends.
    func keep(atMost count: Int) {
        if !isForLongLived { freshet_multi_set_long(raw, CURLMOPT_MAXCONNECTS, count) }
    }

    /// A kept handle, or a new one; `nil` if there is no memory.
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

    /// Removes the handle from libcurl, whether its transfer has ended or not.
    func remove(_ easy: CurlEasy) {
        inCurl { _ = curl_multi_remove_handle(raw, easy.raw) }
        state.handles.remove(easy)
        pausedTransferEnded(easy)
    }

    /// Keeps the handle for another transfer, or frees it.
    ///
    /// - Parameter isWell: whether its transfer was completed.
    func recycle(_ easy: CurlEasy, isWell: Bool) {
        let isPlain = easy.state.set.isDisjoint(with: [.upload, .route])
        easy.clear()
        // A new handle costs a third more.
        if isWell, isPlain, !state.isClosed, easy.lastHeader.pin() { state.handles.keep(easy) }
    }

    // The caller retains the pool.
    @inline(__always)
    func inCurl<Result>(_ body: () -> Result) -> Result {
        callbackTime.pointee = TransferStateMachine.CallbackTime(
            time: loop.turnMilliseconds, call: callbackTime.pointee.call &+ 1)
        return pool.inCurl(body)
    }

    /// Lets libcurl continue in the directions that are not paused. libcurl hands out the bytes that it has kept in this call,
    /// and reports only here if they are refused.
    func unpause(_ easy: CurlEasy) {
        var paused = freshet_pause_none
        if easy.transfer?.state.isHeld == true { paused |= freshet_pause_receiving }
        if easy.transfer?.state.upload?.isPaused == true { paused |= freshet_pause_sending }
        pauseChanged(of: easy.transfer)
        let code = inCurl { curl_easy_pause(easy.raw, paused) }
        // A transfer that libcurl has finished with can't be paused. Its end is reported later.
        if code != CURLE_OK, code != CURLE_BAD_FUNCTION_ARGUMENT { end([easy], code) }
    }

    /// The number of ended transfers that are processed at once, within the turn. Many more would not fit into the
    /// processor's cache.
    private static let together = 32

    /// Lets libcurl act on a socket.
    ///
    /// Ended transfers are processed together, at the latest after all sockets of the turn, so that the requests after them go
    /// out together. A server that gets its requests one by one sleeps between them, and waking it costs time in this process.
    func act(on fd: curl_socket_t, _ mask: Int32) {
        // A command can release the last reference to the pool.
        withExtendedLifetime(pool) {
            let running = work(on: fd, state.timer.isDue ? EarlyResponses.selection(for: mask) : mask)
            requestTurnEnd()
            if state.handles.active.count - running >= Self.together {
                processEndedTransfers()
                if state.timer.isDue, !state.isClosed { work(on: freshet_socket_timeout, 0) }
            }
            pool.runCommands()
        }
    }

    /// - Returns: the number of transfers that have not ended.
    @discardableResult
    private func work(on fd: curl_socket_t, _ mask: Int32) -> Int {
        if fd == freshet_socket_timeout { state.timer.begin() }
        var running: Int32 = 0
        inCurl { _ = curl_multi_socket_action(raw, fd, mask, &running) }
        for connection in corkedConnections { connection.finish() }
        corkedConnections.removeAll(keepingCapacity: true)
        failUnwatchable()
        return Int(running)
    }

    private func processEndedTransfers() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(raw, &left) {
            guard message.pointee.msg == CURLMSG_DONE else { continue }
            guard let easy = CurlEasy.of(message.pointee.easy_handle) else {
                reaper.ended(message.pointee.easy_handle)
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

    /// Ends transfers whose end libcurl does not report.
    func end(_ easies: [CurlEasy], _ code: CURLcode) {
        for easy in easies {
            remove(easy)
            state.handles.end(easy, code)
        }
        processEndedTransfers()
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
        requestTurnEnd()
    }

    private func requestTurnEnd() {
        if state.turn.isEndRequested { return }
        state.turn.isEndRequested = true
        pool.requestTurnEnd(of: self)
    }

    /// Does what is due once per turn of the loop, after its sockets. It processes ended transfers. It then calls libcurl if
    /// libcurl has asked for an immediate call; libcurl asks in its timer callback, in which it cannot be called.
    func endTurn() {
        guard !state.isClosed else { return }
        // An ended transfer can release the last reference to the pool.
        withExtendedLifetime(pool) {
            processEndedTransfers()
            state.turn.isEndRequested = false
            state.descriptors.removeSuspects()
            guard state.timer.isDue, !state.isClosed else { return }
            work(on: freshet_socket_timeout, 0)
            processEndedTransfers()
        }
    }

    /// A kept connection has ended.
    func connectionDied() {
        if !state.isClosed { reaper.scheduleSweep() }
    }

    /// Adds a handle that belongs to no transfer.
    func begin(_ handle: UnsafeMutableRawPointer) {
        inCurl { _ = curl_multi_add_handle(raw, handle) }
    }

    func end(_ handle: UnsafeMutableRawPointer) {
        inCurl { _ = curl_multi_remove_handle(raw, handle) }
    }
}
