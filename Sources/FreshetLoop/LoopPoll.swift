import CFreshetUV
import FreshetCore

/// Watches a descriptor of which somebody else is the owner.
///
/// It is used on the loop's thread alone; see ``LoopHandle`` for its end. Close it before the descriptor is closed.
public final class LoopPoll: LoopHandle {
    /// What a descriptor is watched for, and what it is.
    public struct Events: OptionSet, Sendable, Hashable {
        public let rawValue: Int32

        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        public static let readable = Events(rawValue: 1)
        public static let writable = Events(rawValue: 2)
        /// The other side has closed its end.
        public static let disconnected = Events(rawValue: 4)
        /// The descriptor has failed, and is watched no more until the next ``watch(for:)``. Always delivered.
        public static let failed = Events(rawValue: 1 << 16)
    }

    /// What it is watched for now.
    public private(set) var watched: Events = []
    private var target: (any PollTarget)?

    /// A watch over a descriptor that can be polled, such as a socket or a pipe.
    ///
    /// - Parameters:
    ///   - loop: on whose thread it is made, used and closed.
    ///   - fd: the descriptor; it stays the caller's, and must outlive this.
    ///   - events: what to watch for; with none it waits for ``watch(for:)``.
    ///   - handler: called on the loop whenever the descriptor is ready, and again as long as it stays so.
    /// - Throws: ``LoopError``, if the descriptor can't be watched: a file, or one that is watched already.
    public convenience init(
        on loop: Loop, fd: Int32, events: Events = [], handler: @escaping (Events) -> Void
    ) throws {
        try self.init(on: loop, fd: fd, events: events, target: PollCall(handler))
    }

    /// The same for an object, which is held until ``close()``, and while it is called.
    package init(on loop: Loop, fd: Int32, events: Events = [], target: any PollTarget) throws {
        loop.preconditionOnLoop()
        self.target = target
        super.init(of: uv_poll_t.self, on: loop.adoption)
        try opened(uv_poll_init(loop.raw, poll, fd))
        if !events.isEmpty { try watch(for: events) }
    }

    private var poll: UnsafeMutablePointer<uv_poll_t> { memory.assumingMemoryBound(to: uv_poll_t.self) }

    /// Watches for `events` instead of what was watched for before; with none it stops.
    public func watch(for events: Events) throws {
        // libuv takes the descriptor out of the kernel's set and puts it in again, so not without need.
        guard !isClosed, events != watched else { return }
        watched = events
        guard !events.isEmpty else { return try LoopError.check(uv_poll_stop(poll)) }
        let result = uv_poll_start(poll, events.rawValue) { raw, status, events in
            // libuv holds it until its close callback.
            withoutRetaining(OpaqueReference<LoopPoll>.object(at: raw!.pointee.data)) { $0.fired(status, events) }
        }
        if result < 0 { watched = [] }
        try LoopError.check(result)
    }

    public override func close() {
        super.close()
        watched = []
        target = nil
    }

    private func fired(_ status: Int32, _ events: Int32) {
        if status < 0 {
            // libuv has stopped watching.
            watched = []
            target?.fired([.failed])
        } else {
            target?.fired(Events(rawValue: events))
        }
    }
}

/// Hears when a descriptor is ready.
package protocol PollTarget: AnyObject {
    func fired(_ events: LoopPoll.Events)
}

private final class PollCall: PollTarget {
    private let handler: (LoopPoll.Events) -> Void

    init(_ handler: @escaping (LoopPoll.Events) -> Void) {
        self.handler = handler
    }

    func fired(_ events: LoopPoll.Events) { handler(events) }
}
