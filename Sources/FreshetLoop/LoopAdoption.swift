import CFreshetUV
import FreshetCore

/// What has to be known of a loop that somebody else runs: which of its handles are ours, and when the last of them has
/// gone. It belongs to the loop's thread, but for ``waitForEnd()``.
final class LoopAdoption {
    private struct Ending {
        var isOver = false
        var waiters: [Semaphore] = []
    }

    /// The loop has been asked to end, and all that came before has run.
    var isAsked = false
    private var handles: [ObjectIdentifier: LoopHandle] = [:]
    /// Handles whose close callback has not come yet, and calls to libuv's pool that have not come back.
    private var open = 0
    private var loop: Loop?
    private var whenOver: (() -> Void)?
    private let ending = Locked(Ending())

    /// Holds `loop` until its end.
    func hold(_ loop: Loop) {
        self.loop = loop
    }

    func opened(_ handle: LoopHandle) {
        handles[ObjectIdentifier(handle)] = handle
        open += 1
    }

    func closes(_ handle: LoopHandle) {
        handles[ObjectIdentifier(handle)] = nil
    }

    func begins() {
        open += 1
    }

    /// A handle has closed, or a call has come back.
    func ends() {
        open -= 1
        guard open == 0, let whenOver else { return }
        self.whenOver = nil
        whenOver()
        loop = nil
        let waiters = ending.withLock { ending in
            ending.isOver = true
            defer { ending.waiters = [] }
            return ending.waiters
        }
        for waiter in waiters { waiter.signal() }
    }

    func closeAll() {
        while let handle = handles.first?.value { handle.close() }
    }

    /// Calls `action` when nothing is open any more. Something is: the handle in whose callback this happens.
    func atEnd(_ action: @escaping () -> Void) {
        whenOver = action
    }

    /// Waits on another thread until nothing is open any more.
    func waitForEnd() {
        let waiter = Semaphore()
        let isOver = ending.withLock { ending in
            if !ending.isOver { ending.waiters.append(waiter) }
            return ending.isOver
        }
        if !isOver { waiter.wait() }
    }
}
