import FreshetCore
import FreshetLoop

// The end of a connection, and the pace of its responses.
extension ServerConnection {
    /// Ends the connection as its plan says, even during a response.
    func end(_ ending: ScriptedConnection.Ending) {
        guard phase == .open else { return }
        if ending == .reset { return close(byReset: true) }
        player?.stop()
        player = nil
        writer.clear()
        phase = .finishing(byReset: false)
        advance()
    }

    func endAsPlanned() {
        if let ending = plan.end?.ending { end(ending) }
    }

    /// Sends unsolicited bytes.
    func sendUnsolicited(_ bytes: [UInt8]) {
        guard phase == .open else { return }
        writer.waiting += bytes
        advance()
    }

    func endIfDue() {
        guard case .finishing(let byReset) = phase, ending == nil else { return }
        if byReset {
            // A reset discards bytes that have not arrived yet, and the script determines how many arrive.
            if socket.unsent == 0 || socket.isDead { return close(byReset: true) }
            ending = after(.milliseconds(1)) { connection in
                connection.ending = nil
                connection.advance()
            }
        } else {
            socket.finish()
            phase = .lingering
            ending = after(.seconds(1)) { $0.close() }
        }
    }

    /// Called when the client sends nothing more. If its response is not complete, the client has cancelled the request.
    func inputEnded() {
        if case .finishing = phase, writer.isEmpty { advance() } else { abandon() }
    }

    /// Closes the connection, and records the request whose response is not complete.
    func abandon() {
        if player != nil || isResponding && !writer.isEmpty, let request { listener.script.recordAbandoned(request) }
        close()
    }

    func close(byReset: Bool = false) {
        guard phase != .closed else { return }
        phase = .closed
        poll?.close()
        poll = nil
        if byReset { socket.reset() } else { socket.close() }
        readPause?.dispose()
        writePause?.dispose()
        ending?.dispose()
        player?.stop()
        player = nil
        listener.closed(self)
    }

    func after(_ delay: Duration, _ action: @escaping (ServerConnection) -> Void) -> any Disposable {
        let work = bound(action)
        return LoopScheduler(listener.loop).scheduleRelative((), dueTime: delay) {
            work()
            return Disposables.create()
        }
    }

    /// Returns a closure that can be passed to any thread. It runs `action` on the loop in a later turn, if this
    /// connection still exists.
    func later(_ action: @escaping (ServerConnection) -> Void) -> @Sendable () -> Void {
        let work = bound(action)
        return { [loop = listener.loop] in loop.execute(work) }
    }

    /// Returns a closure that must be called on the loop. It does nothing if this connection no longer exists.
    func bound(_ action: @escaping (ServerConnection) -> Void) -> @Sendable () -> Void {
        listener.loop.bound { [weak self] in
            if let self { action(self) }
        }
    }

    /// Allows more bytes at the response's pace, now or later.
    ///
    /// - Returns: whether some bytes may be sent now.
    func allowMore() -> Bool {
        guard writePause == nil, let pace else { return false }
        switch pace {
        case .every(let count, let pause):
            writer.allowance = count
            writePause = after(pause) { connection in
                connection.writePause = nil
                connection.advance()
            }
            return true
        case .tap(let tap):
            let count = tap.consume(atMost: writer.count)
            writer.allowance = count
            if count > 0 { return true }
            writePause = tap.wait(
                later { connection in
                    connection.writePause = nil
                    connection.advance()
                })
            return false
        }
    }
}
