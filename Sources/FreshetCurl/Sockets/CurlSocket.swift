import CFreshetCurl
import FreshetLoop

/// A descriptor of libcurl's in the loop.
///
/// libcurl takes each socket out and puts it in again around every request, and the kernel's set is costly to change.
/// So a socket that is taken out stays watched, "parked", unless it fires; it goes when libcurl closes the descriptor.
/// That is known for connections that are made alone. Others, and the resolver's descriptors, go at once: libcurl may
/// close them without a word, and the number may be another's a moment later, in another thread too.
final class CurlSocket: PollTarget {
    let fd: curl_socket_t
    /// Whether nothing may come, because nothing is asked.
    private var isIdle = false
    private var poll: LoopPoll?
    private var wanted: LoopPoll.Events = []
    private unowned let multi: CurlMulti
    /// Whose connection it is, once that is made.
    var place: AdmissionQueue.OriginPool?
    /// Whether it is a connection that carries nothing.
    private(set) var isKept = false
    /// Until when more may come behind its last answer, in milliseconds of the loop's clock.
    private var suspectUntil: Int64 = 0
    /// When it was ready last, in milliseconds of the loop's clock.
    private var lastActivity: Int64 = 0
    /// Of its own end, once it was asked for; -1 if it has none.
    private var knownPort: Int32?

    init(_ fd: curl_socket_t, of multi: CurlMulti) {
        self.fd = fd
        self.multi = multi
    }

    func want(_ events: LoopPoll.Events) {
        wanted = events
        isIdle = false
        if place?.multiplexes == true { multi.idleSessionTimer.start() }
        if isKept { keptCountChanged(false) }
        do {
            if try poll?.watch(for: events) == nil {
                poll = try LoopPoll(on: multi.loop, fd: fd, events: events, target: self)
            }
        } catch {
            multi.cannotWatch(self)
        }
    }

    /// - Parameters:
    ///   - isKept: whether it carries nothing now; else its transfer is paused.
    ///   - end: how the end of the body came. More may be there already, which has to be seen before the next request goes out.
    func park(isKept: Bool, behind end: BodyEnd) {
        wanted = []
        // HTTP/2's frames may come at any time.
        isIdle = isKept && place?.multiplexes == false
        if isKept != self.isKept { keptCountChanged(isKept) }
        guard end != .ahead, isIdle else { return }
        guard freshet_is_silent(fd) != 0 else { return endIfIdle() }
        guard end == .apart else { return }
        suspectUntil = multi.loop.turnMilliseconds + 100
        multi.state.descriptors.suspect(fd)
    }

    /// Whether more may come behind the answer that came last.
    var isSuspect: Bool { isIdle && multi.loop.turnMilliseconds < suspectUntil }

    /// Of its own end; -1 if it has none.
    var port: Int32 {
        if let knownPort { return knownPort }
        let port = freshet_local_port(fd)
        knownPort = port
        return port
    }

    private func keptCountChanged(_ isKept: Bool) {
        self.isKept = isKept
        if let place { multi.keptCountChanged(isKept ? 1 : -1, place) }
    }

    /// It carries something, of which no more is wanted for now.
    func connectionPaused() {
        isIdle = false
        if isKept { keptCountChanged(false) }
    }

    /// Watches anew under the number, which is another descriptor's now.
    func reopen() {
        close()
        if !wanted.isEmpty { want(wanted) }
    }

    func close() {
        if isKept { keptCountChanged(false) }
        poll?.close()
        poll = nil
    }

    /// Whether nothing has come for a second or more.
    var isSilent: Bool { multi.loop.turnMilliseconds - lastActivity >= 1000 }

    func fired(_ events: LoopPoll.Events) {
        lastActivity = multi.loop.turnMilliseconds
        guard !wanted.isEmpty else {
            // What the loop found at the beginning of its turn may have been taken meanwhile: libcurl, asked to act on one
            // socket, also goes on with what is due on others.
            if freshet_is_silent(fd) != 0 { return }
            try? poll?.watch(for: [])
            // libcurl would take what nobody asked for as the answer to the next request, and a reset for life.
            endIfIdle()
            return
        }
        var mask: Int32 = 0
        if events.contains(.readable) { mask |= CURL_CSELECT_IN }
        if events.contains(.writable) { mask |= CURL_CSELECT_OUT }
        // A reset can come right behind an answer, which is still there to be read. An empty mask would have libcurl look
        // for itself.
        if events.contains(.failed) || mask == 0 { mask |= CURL_CSELECT_IN | CURL_CSELECT_ERR }
        // A server that has enough of a request answers and leaves, and to send on would fail before the answer is read.
        if wanted == [.readable, .writable] { mask |= CURL_CSELECT_IN }
        // Who only sends any more, after an answer that came early, learns of it by sending.
        if events.contains(.failed), wanted.contains(.writable) { mask |= CURL_CSELECT_OUT }
        let (multi, fd) = (multi, fd)
        multi.act(on: fd, mask)
        guard events.contains(.failed), multi.holds(self) else { return }
        // libuv has stopped watching what failed, and libcurl does not say again what it wants.
        if !wanted.isEmpty { want(wanted) } else { endIfIdle() }
    }

    private func endIfIdle() {
        guard isIdle else { return }
        freshet_end_connection(fd)
        multi.connectionDied()
    }
}
