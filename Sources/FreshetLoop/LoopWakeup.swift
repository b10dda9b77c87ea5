import CFreshetUV
import FreshetCore
import Synchronization

/// Wakes a loop from any thread. Several calls in a short time cause one wake-up.
///
/// Created and closed on the loop's thread; see ``LoopHandle`` for its end. ``send()`` can be called on any thread and
/// at any time. After the close it does nothing.
public final class LoopWakeup: LoopHandle, @unchecked Sendable {
    // The number of threads that run `send()`, plus `closed`. libuv must not close the handle while one of them does.
    private let senders = Atomic<Int>(0)
    private static let closed = Int.min / 2

    var handler: () -> Void = {}
    private let sends = Atomic<Int>(0)

    /// How often ``send()`` was called before the close, including calls that caused no wake-up of their own.
    package var count: Int { sends.load(ordering: .relaxed) }

    /// Creates a wake-up that any thread can send to the loop.
    ///
    /// - Parameters:
    ///   - loop: the loop to wake.
    ///   - handler: called on the loop, at least once after the last ``send()``.
    public convenience init(on loop: Loop, handler: @escaping () -> Void) throws {
        loop.preconditionOnLoop()
        try self.init(raw: loop.raw, loop.adoption)
        self.handler = handler
    }

    init(raw: UnsafeMutablePointer<uv_loop_t>, _ adoption: LoopAdoption?) throws {
        super.init(of: uv_async_t.self, on: adoption)
        try opened(
            uv_async_init(raw, memory.assumingMemoryBound(to: uv_async_t.self)) { raw in
                OpaqueReference<LoopWakeup>.object(at: raw!.pointee.data).handler()
            })
    }

    /// Makes the loop call the handler in a turn that begins after this call.
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
