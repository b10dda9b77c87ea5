/// A value that belongs to a loop, in a box that can be handed to any thread. Source: SwiftNIO's `NIOLoopBoundBox`.
///
/// The value is reached on the loop's thread alone: an access from elsewhere stops the program. It is let go of on the thread
/// that lets go of the box last.
///
///     let lines = LoopBound.sending(LineCounter(), on: loop)
///     loop.execute { lines.value.count += 1 }
// Unchecked: each access looks whether it is on the loop's thread.
public final class LoopBound<Value>: @unchecked Sendable {
    public let loop: Loop
    private var stored: Value

    /// A box for what is on the loop already.
    public convenience init(_ value: Value, on loop: Loop) {
        loop.preconditionOnLoop()
        self.init(stored: value, on: loop)
    }

    private init(stored: Value, on loop: Loop) {
        self.stored = stored
        self.loop = loop
    }

    /// A box, made on any thread, for what nobody else has.
    public static func sending(_ value: sending Value, on loop: Loop) -> LoopBound {
        LoopBound(stored: value, on: loop)
    }

    /// The value.
    public var value: Value {
        // In place, for copying a large state would count all that it holds.
        _read {
            loop.preconditionOnLoop()
            yield stored
        }
        _modify {
            loop.preconditionOnLoop()
            yield &stored
        }
    }
}

extension Loop {
    /// `work`, which belongs to the loop, as a closure that can be handed to any thread, but is to be called on the loop: for
    /// what is scheduled there. Called on the loop.
    ///
    ///     LoopScheduler(loop).scheduleRelative((), dueTime: pause, action: loop.bound { self.resume() })
    public func bound(_ work: @escaping () -> Void) -> @Sendable () -> Void {
        let work = LoopBound(work, on: self)
        return { work.value() }
    }
}
