import CFreshetUV
public import FreshetCore

/// A timer that is set again and again without an allocation. For work on a clock there is ``LoopScheduler``.
///
/// It is used on the loop's thread alone; see ``LoopHandle`` for its end.
public final class LoopTimer: LoopHandle {
    private var handler: () -> Void
    /// For the next turn: a timer of libuv's that is set to nothing among the timers is called again before the sockets.
    private var nextTurn: LoopPhase?

    /// A timer that is not set yet.
    ///
    /// - Parameters:
    ///   - loop: on whose thread it is made, used and closed.
    ///   - handler: called on the loop when the time has come.
    public convenience init(on loop: Loop, handler: @escaping () -> Void) {
        loop.preconditionOnLoop()
        self.init(raw: loop.raw, loop.adoption, handler: handler)
    }

    init(raw: UnsafeMutablePointer<uv_loop_t>, _ adoption: LoopAdoption?, handler: @escaping () -> Void) {
        self.handler = handler
        super.init(of: uv_timer_t.self, on: adoption)
        do { try opened(uv_timer_init(raw, timer)) } catch { preconditionFailure("uv_timer_init: \(error)") }
    }

    private var timer: UnsafeMutablePointer<uv_timer_t> { memory.assumingMemoryBound(to: uv_timer_t.self) }

    func onFire(_ handler: @escaping () -> Void) {
        self.handler = handler
    }

    /// Fires once when the loop's clock shows `due`, to the next millisecond; replaces what was set before.
    public func start(at due: Instant) {
        guard !isClosed else { return }
        nextTurn?.stop()
        // libuv adds the delay to its cached clock, which is the same clock in whole milliseconds: the difference to
        // that makes the timer exact however old the cache is.
        let dueMilliseconds = (due.sinceStart.nanoseconds + 999_999) / 1_000_000
        let cached = Int64(clamping: uv_now(base.pointee.loop))
        uv_timer_start(timer, Self.fire, UInt64(max(0, dueMilliseconds - cached)), 0)
    }

    /// Fires once after `delay`; with zero in the next turn of the loop.
    public func start(after delay: Duration) {
        // The next turn is not the next millisecond.
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

    /// Calls off what was set; can be called again. It can be started anew.
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

/// The loop's clock for a ``Timeline``.
package struct LoopTimerBackend: TimerBackend {
    let timer: LoopTimer
    private let armed = Armed()

    private final class Armed {
        var due: Instant?
    }

    init(timer: LoopTimer) {
        self.timer = timer
    }

    package var now: Instant { Loop.clock }

    // A timer that is set too early stays: waking once for nothing is cheaper than moving it for each of the many
    // timeouts that are set and taken back.
    package func arm(at due: Instant) {
        if let earlier = armed.due, earlier <= due { return }
        armed.due = due
        timer.start(at: due)
    }

    package func disarm() {}

    /// Moves the timer after all, for what is due next.
    package func settle(at due: Instant?) {
        guard let earlier = armed.due, due.map({ earlier < $0 }) ?? true else { return }
        armed.due = due
        if let due { timer.start(at: due) } else { timer.stop() }
    }

    func fired() {
        armed.due = nil
    }
}

extension Duration {
    /// Whole nanoseconds, as far as 64 bits go: 292 years.
    package var nanoseconds: Int64 {
        // `components` divides twice, and by more than fits into a register.
        let nanoseconds = attoseconds / 1_000_000_000
        return Int64(min(max(nanoseconds, Int128(Int64.min / 2)), Int128(Int64.max / 2)))
    }
}
