import CFreshetUV
import FreshetCore

/// What a loop watches: a timer, a descriptor, a wake-up.
///
/// It belongs to its loop's thread. The loop holds it from its creation until ``close()``, or until the loop shuts
/// down: letting go of it is not enough.
public class LoopHandle {
    let memory: UnsafeMutableRawPointer
    /// Where it has to be known that it is open.
    let adoption: LoopAdoption?
    /// Whether ``close()`` has been called; nothing is delivered any more.
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

    /// Takes the result of the handle's `uv_…_init`; from here on libuv holds the object, until its close callback.
    func opened(_ result: Int32) throws {
        guard result >= 0 else {
            isClosed = true
            throw LoopError(code: result)
        }
        base.pointee.data = OpaqueReference.retain(self)
        adoption?.opened(self)
    }

    /// Ends it. Can be called more than once, on the loop's thread.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        adoption?.closes(self)
        uv_close(base) { raw in
            let handle = OpaqueReference<LoopHandle>.takeRetained(raw!.pointee.data)
            handle.adoption?.ends()
        }
    }

    /// Closes all handles of `raw`; what is closed already stays so.
    static func closeAll(of raw: UnsafeMutablePointer<uv_loop_t>) {
        let close: uv_walk_cb = { handle, _ in
            if uv_is_closing(handle) == 0, let data = handle?.pointee.data {
                OpaqueReference<LoopHandle>.object(at: data).close()
            }
        }
        uv_walk(raw, close, nil)
    }
}
