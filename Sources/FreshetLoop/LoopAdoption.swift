import CFreshetUV
import FreshetCore

/// The state of a loop that the program runs: which handles on it belong to ``Loop``, and when the last of them has
/// closed. Only the loop's thread uses it, except for ``waitForEnd()``.
final class LoopAdoption {
    private struct Ending {
        var isOver = false
        var waiters: [Semaphore] = []
    }

    /// Whether the loop has been asked to end and all work before that has run.
    var isAsked = false
    private var handles: [ObjectIdentifier: LoopHandle] = [:]
    /// The number of handles whose close callback has not been called yet, plus the number of calls to libuv's pool
    /// that have not returned.
    private var open = 0
    private var loop: Loop?
    private var whenOver: (() -> Void)?
    private let ending = Locked(Ending())

    /// Retains `loop` until its end.
    func hold(_ loop: Loop) {
        self.loop = loop
    }

    func opened(_ handle: LoopHandle) {
        handles[ObjectIdentifier(handle)] = handle
        open += 1
        // The program's callbacks still run on the loop. A handle that they open would prevent the end.
        if whenOver != nil { handle.close() }
    }

    func closes(_ handle: LoopHandle) {
        handles[ObjectIdentifier(handle)] = nil
    }

    func begins() {
        open += 1
    }

    /// Counts a handle that has closed, or a call to the pool that has returned.
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

    /// Calls `action` when nothing is open any more. The handle in whose callback the caller runs is still open. A handle
    /// that is opened from now on is closed at once.
    func atEnd(_ action: @escaping () -> Void) {
        whenOver = action
    }

    /// Waits until nothing is open any more. Must not be called on the loop's thread.
    func waitForEnd() {
        let waiter = Semaphore()
        let isOver = ending.withLock { ending in
            if !ending.isOver { ending.waiters.append(waiter) }
            return ending.isOver
        }
        if !isOver { waiter.wait() }
    }
}
