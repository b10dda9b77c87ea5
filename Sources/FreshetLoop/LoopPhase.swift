import CFreshetUV
import FreshetCore

/// Calls a handler in each turn of a loop, always at the same place, between ``start()`` and ``stop()``.
final class LoopPhase: LoopHandle {
    enum Place {
        /// After the timers. While a phase of this place is started, the loop does not wait for its sockets.
        case afterTimers
        /// Before the loop waits for its sockets.
        case beforeWait
        /// After the sockets have been served.
        case afterSockets
    }

    private let place: Place
    var handler: () -> Void

    /// Creates a phase that is stopped.
    init(
        _ place: Place, of raw: UnsafeMutablePointer<uv_loop_t>, _ adoption: LoopAdoption?,
        handler: @escaping () -> Void = {}
    ) {
        self.place = place
        self.handler = handler
        let result: Int32
        switch place {
        case .afterTimers:
            super.init(of: uv_idle_t.self, on: adoption)
            result = uv_idle_init(raw, memory.assumingMemoryBound(to: uv_idle_t.self))
        case .beforeWait:
            super.init(of: uv_prepare_t.self, on: adoption)
            result = uv_prepare_init(raw, memory.assumingMemoryBound(to: uv_prepare_t.self))
        case .afterSockets:
            super.init(of: uv_check_t.self, on: adoption)
            result = uv_check_init(raw, memory.assumingMemoryBound(to: uv_check_t.self))
        }
        do { try opened(result) } catch { preconditionFailure("libuv refuses a handle: \(error)") }
    }

    func start() {
        guard !isClosed else { return }
        switch place {
        case .afterTimers:
            uv_idle_start(memory.assumingMemoryBound(to: uv_idle_t.self)) { LoopPhase.turn($0!.pointee.data) }
        case .beforeWait:
            uv_prepare_start(memory.assumingMemoryBound(to: uv_prepare_t.self)) { LoopPhase.turn($0!.pointee.data) }
        case .afterSockets:
            uv_check_start(memory.assumingMemoryBound(to: uv_check_t.self)) { LoopPhase.turn($0!.pointee.data) }
        }
    }

    func stop() {
        guard !isClosed else { return }
        switch place {
        case .afterTimers: uv_idle_stop(memory.assumingMemoryBound(to: uv_idle_t.self))
        case .beforeWait: uv_prepare_stop(memory.assumingMemoryBound(to: uv_prepare_t.self))
        case .afterSockets: uv_check_stop(memory.assumingMemoryBound(to: uv_check_t.self))
        }
    }

    override func close() {
        super.close()
        handler = {}
    }

    /// Has libuv count its wait for the next timer from the end of the turn. By itself it counts from its cached time, and the
    /// timer would be late by what the turn's work took.
    static func countWaits(of raw: UnsafeMutablePointer<uv_loop_t>, _ adoption: LoopAdoption?) {
        // All versions of libuv insert a started phase at the head of a queue, though no documentation says so. So the phase that
        // was started first runs last. On an adopted loop, what the program has started earlier runs after it, and the time of
        // that is not counted. With another order, a timer would only be later.
        LoopPhase(.beforeWait, of: raw, adoption) { uv_update_time(raw) }.start()
    }

    private static func turn(_ data: UnsafeMutableRawPointer) {
        OpaqueReference<LoopPhase>.object(at: data).handler()
    }
}
