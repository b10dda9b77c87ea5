/// Calls a handler once in each turn of the loop in which ``schedule()`` was called, after timers have fired and
/// sockets have been served. The handler does once what several callbacks of the turn have asked for.
///
/// If the handler calls ``schedule()``, the next call of the handler comes in the next turn. The loop does not sleep
/// before that turn, and serves its sockets first, so a handler that schedules itself each time delays nothing else. A
/// timer with a delay of zero would delay the sockets: libuv 1.44 fires it again before it serves them.
///
/// Used on the loop's thread alone. It ends with ``close()`` or with the loop.
package final class LoopDeferredCall {
    private let phase: LoopPhase
    /// While this phase is on, the loop does not sleep.
    private let wakefulness: LoopPhase
    private var isAsked = false

    package init(on loop: Loop, handler: @escaping () -> Void) {
        loop.preconditionOnLoop()
        phase = LoopPhase(.afterSockets, of: loop.raw, loop.adoption)
        wakefulness = LoopPhase(.afterTimers, of: loop.raw, loop.adoption)
        phase.handler = { [unowned self] in run(handler) }
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
