import CFreshetUV
import FreshetCore

/// A handle of a loop: a timer, a poll of a descriptor or a wake-up.
///
/// Only the loop's thread uses it. The loop retains it from its creation until ``close()``, or until the loop shuts
/// down, so releasing it does not close it.
public class LoopHandle {
    let memory: UnsafeMutableRawPointer
    /// The state of an adopted loop, which has to know its open handles; `nil` for other loops.
    let adoption: LoopAdoption?
    /// Whether ``close()`` has been called. A closed handle delivers no more events.
    public private(set) final var isClosed = false

    init<Raw>(of type: Raw.Type, on adoption: LoopAdoption?) {
        self.adoption = adoption
        memory = .allocate(byteCount: MemoryLayout<Raw>.size, alignment: MemoryLayout<Raw>.alignment)
        Resources.increment()
    }

    deinit {
        memory.deallocate()
        Resources.decrement()
    }

    var base: UnsafeMutablePointer<uv_handle_t> { memory.assumingMemoryBound(to: uv_handle_t.self) }

    /// Checks the result of the handle's `uv_…_init`. From then on libuv retains the object, until its close callback.
    func opened(_ result: Int32) throws {
        guard result >= 0 else {
            isClosed = true
            throw LoopError(code: result)
        }
        base.pointee.data = OpaqueReference.retain(self)
        adoption?.opened(self)
    }

    /// Closes the handle. Must be called on the loop's thread, and can be called more than once.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        adoption?.closes(self)
        uv_close(base) { raw in
            let handle = OpaqueReference<LoopHandle>.takeRetained(raw!.pointee.data)
            handle.adoption?.ends()
        }
    }

    /// Closes all handles of `raw` that are still open.
    static func closeAll(of raw: UnsafeMutablePointer<uv_loop_t>) {
        let close: uv_walk_cb = { handle, _ in
            if uv_is_closing(handle) == 0, let data = handle?.pointee.data {
                OpaqueReference<LoopHandle>.object(at: data).close()
            }
        }
        uv_walk(raw, close, nil)
    }
}
