import CFreshetUV
import FreshetCore
import Synchronization

/// Wakes a loop from any thread; calls that come close together are one wake-up.
///
/// It is created and closed on the loop's thread; see ``LoopHandle`` for its end. ``send()`` can come from any thread
/// and at any time, after the close too, when it does nothing.
public final class LoopWakeup: LoopHandle, @unchecked Sendable {
    // Senders on their way, plus `closed`. A sender must be gone before libuv takes the handle apart.
    private let senders = Atomic<Int>(0)
    private static let closed = Int.min / 2

    private var handler: () -> Void
    private let sends = Atomic<Int>(0)

    /// How often it has been sent, whether or not a wake-up came of it.
    package var count: Int { sends.load(ordering: .relaxed) }

    /// A way to have `handler` called on the loop from any thread.
    ///
    /// - Parameters:
    ///   - loop: what is woken.
    ///   - handler: called on the loop, at least once after the last ``send()``.
    public convenience init(on loop: Loop, handler: @escaping () -> Void) throws {
        loop.preconditionOnLoop()
        try self.init(raw: loop.raw, loop.adoption)
        self.handler = handler
    }

    init(raw: UnsafeMutablePointer<uv_loop_t>, _ adoption: LoopAdoption?) throws {
        handler = {}
        super.init(of: uv_async_t.self, on: adoption)
        try opened(
            uv_async_init(raw, memory.assumingMemoryBound(to: uv_async_t.self)) { raw in
                OpaqueReference<LoopWakeup>.object(at: raw!.pointee.data).handler()
            })
    }

    func onWake(_ handler: @escaping () -> Void) {
        self.handler = handler
    }

    /// Has the handler called in a turn that begins after this call.
    public func send() {
        if senders.add(1, ordering: .acquiringAndReleasing).oldValue >= 0 {
            sends.add(1, ordering: .relaxed)
            uv_async_send(memory.assumingMemoryBound(to: uv_async_t.self))
        }
        senders.subtract(1, ordering: .acquiringAndReleasing)
    }

    public override func close() {
        guard !isClosed else { return }
        senders.add(Self.closed, ordering: .acquiringAndReleasing)
        while senders.load(ordering: .acquiring) != Self.closed { sched_yield() }
        super.close()
        handler = {}
    }
}
