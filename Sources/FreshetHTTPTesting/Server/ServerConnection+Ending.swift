import FreshetCore
import FreshetLoop

// How a connection comes to its end, and how fast it gets there.
extension ServerConnection {
    /// Ends the connection as its plan says, whatever is under way.
    func end(_ ending: ScriptedConnection.Ending) {
        guard phase == .open else { return }
        if ending == .reset { return close(byReset: true) }
        player?.stop()
        player = nil
        writer.clear()
        phase = .finishing(byReset: false)
        settle()
    }

    func endAsPlanned() {
        if let ending = plan.end?.ending { end(ending) }
    }

    /// Sends bytes that nobody asked for.
    func say(_ bytes: [UInt8]) {
        guard phase == .open else { return }
        writer.waiting += bytes
        settle()
    }

    func endIfDue() {
        guard case .finishing(let byReset) = phase, ending == nil else { return }
        if byReset {
            // A reset throws away what is still on its way, and the script says how much arrives.
            if socket.unsent == 0 || socket.isDead { return close(byReset: true) }
            ending = after(.milliseconds(1)) { connection in
                connection.ending = nil
                connection.settle()
            }
        } else {
            socket.finish()
            phase = .lingering
            ending = after(.seconds(1)) { $0.close() }
        }
    }

    /// The client sends nothing more. While its answer is not complete, that means that it has left.
    func leave() {
        switch phase {
        case .open where player != nil: lose()
        case .open where !writer.isEmpty:
            phase = .finishing(byReset: false)
            settle()
        case .finishing: settle()
        default: close()
        }
    }

    func lose() {
        if phase == .open, player != nil || !writer.isEmpty, let request { listener.script.recordAbandoned(request) }
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

    /// A closure that can be handed to any thread, and does `action` on the loop in a later turn, if this is still there.
    func later(_ action: @escaping (ServerConnection) -> Void) -> @Sendable () -> Void {
        let work = bound(action)
        return { [loop = listener.loop] in loop.execute(work) }
    }

    /// `action` as a closure to be called on the loop, which does nothing if this is gone.
    func bound(_ action: @escaping (ServerConnection) -> Void) -> @Sendable () -> Void {
        listener.loop.bound { [weak self] in
            if let self { action(self) }
        }
    }

    /// Lets more bytes go at the answer's pace: now, or later.
    ///
    /// - Returns: whether some may go now.
    func allowMore() -> Bool {
        guard writePause == nil, let pace else { return false }
        switch pace {
        case .every(let count, let pause):
            writer.allowance = count
            writePause = after(pause) { connection in
                connection.writePause = nil
                connection.settle()
            }
            return true
        case .tap(let tap):
            let count = tap.consume(atMost: 1 << 20)
            writer.allowance = count
            if count > 0 { return true }
            writePause = tap.wait(
                later { connection in
                    connection.writePause = nil
                    connection.settle()
                })
            return false
        }
    }
}
