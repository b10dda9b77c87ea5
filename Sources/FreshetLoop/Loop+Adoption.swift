import CFreshetUV
import FreshetCore

extension Loop {
    /// A loop on a `uv_loop_t` that the program already runs, and goes on to own: it is neither run nor stopped nor closed
    /// here.
    ///
    /// Create it on the thread that runs the loop; whether that has begun is no matter, and what is given to it before waits
    /// until it does. Until ``shutdown()`` handles of ours keep the loop alive, so `uv_run` does not return for want of
    /// work. Like every loop of ours it makes the process ignore `SIGPIPE`, as writing to closed connections needs.
    ///
    /// - Parameters:
    ///   - loop: a pointer to an initialised `uv_loop_t`, of whichever module's import of libuv.
    ///   - name: for whoever asks; the thread keeps its own.
    /// - Throws: ``LoopError``, if the process has no descriptors left.
    public convenience init(adopting loop: UnsafeMutableRawPointer, name: String = "adopted") throws {
        let adoption = LoopAdoption()
        try self.init(raw: loop.assumingMemoryBound(to: uv_loop_t.self), name: name, adoption: adoption)
        setThread(isCurrent: true)
        Resources.increment()
        // Nobody else may hold this loop, and its handles need it.
        adoption.hold(self)
        onWake { [unowned self] in
            drain()
            if adoption.isAsked { end(adoption) }
        }
    }

    /// Runs in the wake-up, which is among the handles that are closed here: their close callbacks come later, and the end
    /// with the last of them.
    private func end(_ adoption: LoopAdoption) {
        adoption.isAsked = false
        runEndings()
        adoption.atEnd {
            self.setThread(isCurrent: false)
            Resources.decrement()
        }
        repeat { adoption.closeAll() } while !finish()
    }

    func shutdown(_ adoption: LoopAdoption) {
        submitStop()
        if !isCurrent { adoption.waitForEnd() }
    }
}
