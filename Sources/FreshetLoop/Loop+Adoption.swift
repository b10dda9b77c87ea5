import CFreshetUV
import FreshetCore

extension Loop {
    /// Creates a loop on a `uv_loop_t` that the program already has. The program keeps it: this object neither runs nor
    /// stops nor closes it.
    ///
    /// Create the loop on the thread that runs the `uv_loop_t`. That thread may begin to run it before or after; work
    /// that is submitted earlier waits until then. Until ``shutdown()`` the handles of this object keep the `uv_loop_t`
    /// alive, so `uv_run` does not return for lack of work. Like every ``Loop``, this one makes the process ignore
    /// `SIGPIPE`, because writing to closed connections requires that.
    ///
    /// - Parameters:
    ///   - loop: a pointer to an initialised `uv_loop_t`, from any module that imports libuv.
    ///   - name: the value of ``name``. The thread keeps its own name.
    /// - Throws: ``LoopError`` if the process has no descriptors left.
    public convenience init(adopting loop: UnsafeMutableRawPointer, name: String = "adopted") throws {
        let adoption = LoopAdoption()
        try self.init(raw: loop.assumingMemoryBound(to: uv_loop_t.self), name: name, adoption: adoption)
        setThread(isCurrent: true)
        Resources.increment()
        // The handles need the loop, even if nothing else retains it.
        adoption.hold(self)
        onWake { [unowned self] in
            drain()
            if adoption.isAsked { end(adoption) }
        }
    }

    /// Runs in the callback of the wake-up, which is one of the handles that are closed here. The close callbacks come
    /// later, and the last of them ends the loop.
    private func end(_ adoption: LoopAdoption) {
        adoption.isAsked = false
        adoption.atEnd {
            self.setThread(isCurrent: false)
            Resources.decrement()
        }
        repeat {
            runEndings()
            adoption.closeAll()
        } while !finish()
    }

    func shutdown(_ adoption: LoopAdoption) {
        submitStop()
        // The end waits for this thread then.
        if !isCurrent, !isInBlockingWork { adoption.waitForEnd() }
    }
}
