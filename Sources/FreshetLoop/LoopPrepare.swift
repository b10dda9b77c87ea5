import CFreshetUV

/// Calls a handler when the loop has done what was to do in a turn and is about to wait, so that what came up in the turn
/// is dealt with together.
///
/// It is used on the loop's thread alone; see ``LoopHandle`` for its end.
final class LoopPrepare: LoopHandle {
    @exclusivity(unchecked) private var handler: () -> Void

    init(on loop: Loop, handler: @escaping () -> Void) {
        loop.preconditionOnLoop()
        self.handler = handler
        super.init(of: uv_prepare_t.self, on: loop.adoption)
        do { try opened(uv_prepare_init(loop.raw, prepare)) } catch { preconditionFailure("uv_prepare_init: \(error)") }
    }

    private var prepare: UnsafeMutablePointer<uv_prepare_t> { memory.assumingMemoryBound(to: uv_prepare_t.self) }

    /// Has the handler called once, at the end of this turn.
    func start() {
        guard !isClosed else { return }
        uv_prepare_start(prepare) { raw in
            let this = Unmanaged<LoopPrepare>.fromOpaque(raw!.pointee.data).takeUnretainedValue()
            uv_prepare_stop(raw)
            this.handler()
        }
    }

    override func close() {
        super.close()
        handler = {}
    }
}
