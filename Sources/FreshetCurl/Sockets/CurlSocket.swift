import CFreshetCurl
import FreshetLoop

/// A descriptor of libcurl that the loop watches.
///
/// libcurl removes and adds each socket around every request, and the kernel's set of watched sockets is costly to change.
/// So a removed socket stays watched, "parked", unless it fires. It is removed when libcurl closes the descriptor.
///
/// libcurl reports that it closes a descriptor only for established connections. Other sockets and the resolver's
/// descriptors are removed at once: libcurl can close them without notice, and their number can belong to another
/// descriptor a moment later, in another thread too.
final class CurlSocket: PollTarget {
    let fd: curl_socket_t
    private var poll: LoopPoll?
    private var wanted: LoopPoll.Events = []
    private unowned let multi: CurlMulti
    /// The pool of the connection's origin, once the connection is made.
    private var originPool: OriginPool? { multi.state.descriptors.originPool(of: fd) }
    /// Whether the connection carries many transfers.
    private var isMultiplexed: Bool { multi.state.descriptors.isMultiplexed(fd) }
    /// Whether the connection carries no transfer.
    private(set) var isKept = false
    /// Whether the server must not send anything now, because no request is in progress. HTTP/2 frames can come at any time.
    private var isIdle: Bool { isKept && !isMultiplexed }
    /// The time until which surplus bytes can follow the last response of an idle connection, in milliseconds of the loop's clock.
    private var suspectUntil: Int64 = 0
    /// The time of the last event on the socket, in milliseconds of the loop's clock.
    private var lastActivity: Int64 = 0
    /// The local port, after the first lookup; -1 if there is none.
    private var knownPort: Int32?
    /// The transfer for which libcurl wants events, where ``PausedSockets`` needs it.
    weak var transfer: CurlTransfer?
    private(set) var stalledUpload = StalledUploads()

    init(_ fd: curl_socket_t, of multi: CurlMulti) {
        self.fd = fd
        self.multi = multi
    }

    func want(_ events: LoopPoll.Events) {
        wanted = events
        if isMultiplexed { multi.idleSessionCheck.start() }
        if isKept { keptCountChanged(false) }
        var events = events
        if PausedSockets.mustRest(transfer) { events.remove(.readable) }
        if stalledUpload.isResting { events.remove(.writable) }
        do {
            if try poll?.watch(for: events) == nil {
                poll = try LoopPoll(on: multi.loop, fd: fd, events: events, target: self)
            }
        } catch {
            multi.cannotWatch(self)
        }
    }

    /// Stops waiting for events, and keeps the socket watched.
    ///
    /// - Parameters:
    ///   - isKept: whether the connection carries no transfer now; otherwise its transfer is paused.
    ///   - end: when the end of the body arrived. Surplus bytes may have arrived with it. They must be detected before the next
    ///     request is sent.
    func park(isKept: Bool, behind end: BodyEnd) {
        wanted = []
        if isKept != self.isKept { keptCountChanged(isKept) }
        guard end != .pending, isIdle else { return }
        guard freshet_is_silent(fd) != 0 else { return endIfIdle() }
        guard end == .separate else { return }
        suspectUntil = multi.loop.turnMilliseconds + 100
        multi.state.descriptors.suspect(fd)
    }

    /// Whether surplus bytes can still follow the last response.
    var isSuspect: Bool { isKept && multi.loop.turnMilliseconds < suspectUntil }

    /// The local port; -1 if there is none.
    var port: Int32 {
        if let knownPort { return knownPort }
        let port = freshet_local_port(fd)
        knownPort = port
        return port
    }

    /// `nil` before the connection is made.
    var identity: ConnectionIdentity? { originPool.map { ConnectionIdentity($0, from: port) } }

    private func keptCountChanged(_ isKept: Bool) {
        self.isKept = isKept
        if let originPool { multi.keptCountChanged(isKept ? 1 : -1, originPool) }
    }

    /// The last transfer of the connection has ended while libcurl wanted no events, because it was paused.
    func pausedTransferEnded(behind end: BodyEnd) {
        guard wanted.isEmpty, !isKept else { return }
        // What came during the pause may have ended the watching.
        try? poll?.watch(for: .readable)
        park(isKept: true, behind: end)
    }

    /// The connection carries a paused transfer.
    func connectionPaused() {
        if isKept { keptCountChanged(false) }
    }

    /// Watches for what libcurl wants, because what may be watched has changed.
    func watchAgain() {
        if !wanted.isEmpty { want(wanted) }
    }

    /// Closes the object, because its number belongs to another descriptor now.
    ///
    /// - Returns: the object for that descriptor, with the events that libcurl wants.
    func replaced() -> CurlSocket {
        close()
        let socket = CurlSocket(fd, of: multi)
        socket.transfer = transfer
        if !wanted.isEmpty { socket.want(wanted) }
        return socket
    }

    func close() {
        if isKept { keptCountChanged(false) }
        poll?.close()
        poll = nil
    }

    /// Whether the socket has had no event for at least a second.
    var isSilent: Bool { multi.loop.turnMilliseconds - lastActivity >= 1000 }

    func fired(_ events: LoopPoll.Events) {
        lastActivity = multi.loop.turnMilliseconds
        if wanted.isEmpty { return firedWhileIdle(events) }
        let (multi, fd) = (multi, fd)
        let sentRecords = multi.sentTLSRecords
        multi.act(on: fd, selection(for: events))
        guard multi.holds(self) else { return }
        if StalledUploads.isActive, isMultiplexed {
            checkUpload(after: events, isSent: multi.sentTLSRecords != sentRecords)
        }
        guard events.contains(.failed) else { return }
        // libuv has stopped watching the failed socket, and libcurl does not repeat which events it wants.
        if !wanted.isEmpty { return want(wanted) }
        endIfIdle()
        if !isKept { multi.endWaitingUpload(on: self) }
    }

    /// Handles events of a socket of which libcurl wants none.
    private func firedWhileIdle(_ events: LoopPoll.Events) {
        // libcurl may already have read the bytes that the loop found at the beginning of this iteration: a call of libcurl
        // for one socket also continues the work that is due on others.
        if freshet_is_silent(fd) != 0 {
            // libcurl may have waited to write before, and an idle socket can be written in every turn.
            if events.contains(.writable) { try? poll?.watch(for: .readable) }
            return
        }
        // The end of the connection can follow surplus bytes, or the closing message of TLS, that libcurl does not read.
        let hasEnded = !events.isDisjoint(with: [.disconnected, .failed]) || freshet_has_ended(fd) != 0
        try? poll?.watch(for: isKept || hasEnded ? [] : .disconnected)
        // libcurl would treat surplus bytes as the response to the next request, and a reset as a sign that the connection is
        // alive.
        endIfIdle()
        if !isKept, hasEnded { multi.endWaitingUpload(on: self) }
    }

    /// What libcurl is told about the events (`CURL_CSELECT_`).
    private func selection(for events: LoopPoll.Events) -> Int32 {
        var mask: Int32 = 0
        if events.contains(.readable) { mask |= CURL_CSELECT_IN }
        if events.contains(.writable) { mask |= CURL_CSELECT_OUT }
        // A reset can arrive directly behind a response that libcurl has not read yet. With an empty mask libcurl would check the
        // socket itself.
        if events.contains(.failed) || mask == 0 { mask |= CURL_CSELECT_IN | CURL_CSELECT_ERR }
        // A server that rejects the rest of a request responds and closes. libcurl reads too, because sending fails before the
        // response is read.
        if wanted == [.readable, .writable], !PausedSockets.mustRest(transfer) { mask |= CURL_CSELECT_IN }
        // A transfer that only sends, because its response came early, detects the failure by sending.
        if events.contains(.failed), wanted.contains(.writable) { mask |= CURL_CSELECT_OUT }
        return mask
    }

    private func checkUpload(after events: LoopPoll.Events, isSent: Bool) {
        let wasResting = stalledUpload.isResting
        stalledUpload.acted(on: events, isSent: isSent)
        guard stalledUpload.isResting != wasResting else { return }
        if stalledUpload.isResting { multi.stalledUploadCheck.start() }
        watchAgain()
    }

    /// Watches for writing again.
    func wake() {
        stalledUpload.wake()
        watchAgain()
    }

    private func endIfIdle() {
        guard isIdle else { return }
        freshet_end_connection(fd)
        multi.connectionDied()
    }
}
