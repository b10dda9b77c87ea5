/// A box for a value that belongs to a loop. The box can be passed to any thread. Source: SwiftNIO's `NIOLoopBoundBox`.
///
/// Only the loop's thread can access the value, and after the loop's end a job of an actor that lives on the loop. An
/// access on any other thread stops the program. The value is released on the thread that releases the box last.
///
///     let lines = LoopBound.sending(LineCounter(), on: loop)
///     loop.execute { lines.value.count += 1 }
// Unchecked: each access checks that it is on the loop's thread.
public final class LoopBound<Value>: @unchecked Sendable {
    public let loop: Loop
    private var stored: Value

    /// Creates a box for a value that is on the loop already. Must be called on the loop.
    public convenience init(_ value: Value, on loop: Loop) {
        loop.preconditionOwner()
        self.init(stored: value, on: loop)
    }

    private init(stored: Value, on loop: Loop) {
        self.stored = stored
        self.loop = loop
    }

    /// Creates a box, on any thread, for a value that nothing else references.
    public static func sending(_ value: sending Value, on loop: Loop) -> LoopBound {
        LoopBound(stored: value, on: loop)
    }

    /// The value.
    public var value: Value {
        // In place, because a copy of a large state would retain everything in it.
        _read {
            loop.preconditionOwner()
            yield stored
        }
        _modify {
            loop.preconditionOwner()
            yield &stored
        }
    }
}

extension Loop {
    /// Wraps `work`, which belongs to the loop, in a closure that can be passed to any thread but must be called on the
    /// loop. It is meant for work that is scheduled there. Must be called on the loop.
    ///
    ///     LoopScheduler(loop).scheduleRelative((), dueTime: pause, action: loop.bound { self.resume() })
    public func bound(_ work: @escaping () -> Void) -> @Sendable () -> Void {
        let work = LoopBound(work, on: self)
        return { work.value() }
    }
}
