import CFreshetUV
public import FreshetCore

/// A timer that can be set again and again without an allocation. To schedule work, use ``LoopScheduler``.
///
/// Used on the loop's thread alone; see ``LoopHandle`` for its end.
public final class LoopTimer: LoopHandle {
    var handler: () -> Void
    /// Fires the timer in the next turn. A libuv timer with a delay of zero that is set in a timer's callback would
    /// fire again before the sockets are served.
    private var nextTurn: LoopPhase?

    /// Creates a timer that is not set yet.
    ///
    /// - Parameters:
    ///   - loop: the loop on whose thread the timer is created, used and closed.
    ///   - handler: called on the loop when the timer fires.
    public convenience init(on loop: Loop, handler: @escaping () -> Void) {
        loop.preconditionOnLoop()
        self.init(raw: loop.raw, loop.adoption, handler: handler)
    }

    init(raw: UnsafeMutablePointer<uv_loop_t>, _ adoption: LoopAdoption?, handler: @escaping () -> Void = {}) {
        self.handler = handler
        super.init(of: uv_timer_t.self, on: adoption)
        do { try opened(uv_timer_init(raw, timer)) } catch { preconditionFailure("uv_timer_init: \(error)") }
    }

    private var timer: UnsafeMutablePointer<uv_timer_t> { memory.assumingMemoryBound(to: uv_timer_t.self) }

    /// Fires once when the loop's clock shows `due`, rounded up to the next millisecond. Replaces the time that was set before.
    public func start(at due: Instant) {
        guard !isClosed else { return }
        nextTurn?.stop()
        // libuv adds the delay to its cached time, which is that of the same clock in whole milliseconds. A delay from
        // the cached time is exact, however old that time is.
        let cached = Int64(clamping: uv_now(base.pointee.loop))
        uv_timer_start(timer, Self.fire, UInt64(max(0, due.sinceStart.millisecondsRoundedUp - cached)), 0)
    }

    /// Fires once after `delay`. With a delay of zero, fires in the next turn of the loop.
    public func start(after delay: Duration) {
        // The next turn comes before the next millisecond.
        guard delay > .zero else { return startNow() }
        start(at: Loop.clock.advanced(by: delay))
    }

    private func startNow() {
        guard !isClosed else { return }
        uv_timer_stop(timer)
        if nextTurn == nil {
            nextTurn = LoopPhase(.afterTimers, of: base.pointee.loop, adoption) { [unowned self] in
                nextTurn?.stop()
                handler()
            }
        }
        nextTurn?.start()
    }

    /// Stops the timer. Can be called again, and the timer can be started again.
    public func stop() {
        guard !isClosed else { return }
        uv_timer_stop(timer)
        nextTurn?.stop()
    }

    public override func close() {
        super.close()
        nextTurn?.close()
        nextTurn = nil
        handler = {}
    }

    private static let fire: uv_timer_cb = { raw in
        OpaqueReference<LoopTimer>.object(at: raw!.pointee.data).handler()
    }
}
