/// Does something once in each turn of the loop in which that was asked for, when timers have fired and sockets have been
/// served: what many of them ask for is done together.
///
/// What is asked for at that moment comes in the next turn, which does not sleep and looks at the sockets first. So who
/// asks each time keeps nobody from their turn, as a timer that is set to nothing would: libuv 1.44 fires it again
/// before it looks at anything else. It is used on the loop's thread alone, and ends with ``close()`` or with the loop.
package final class LoopDeferredCall {
    private let phase: LoopPhase
    /// As long as it is on, the loop does not sleep.
    private let wakefulness: LoopPhase
    private var isAsked = false

    package init(on loop: Loop, handler: @escaping () -> Void) {
        loop.preconditionOnLoop()
        phase = LoopPhase(.afterSockets, of: loop.raw, loop.adoption, handler: {})
        wakefulness = LoopPhase(.afterTimers, of: loop.raw, loop.adoption, handler: {})
        phase.onTurn { [unowned self] in run(handler) }
        phase.start()
    }

    package func schedule() {
        if isAsked { return }
        isAsked = true
        wakefulness.start()
    }

    package func close() {
        phase.close()
        wakefulness.close()
    }

    private func run(_ handler: () -> Void) {
        guard isAsked else { return }
        isAsked = false
        let wakefulness = wakefulness
        withExtendedLifetime(self) { handler() }
        if !isAsked { wakefulness.stop() }
    }
}
