import CFreshetUV
import FreshetCore

/// Watches a descriptor that the caller owns.
///
/// Used on the loop's thread alone; see ``LoopHandle`` for its end. Close the poll before the descriptor is closed.
public final class LoopPoll: LoopHandle {
    /// The events that a descriptor is watched for and that it reports.
    public struct Events: OptionSet, Sendable, Hashable {
        public let rawValue: Int32

        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        public static let readable = Events(rawValue: 1)
        public static let writable = Events(rawValue: 2)
        /// The other side has closed its end.
        public static let disconnected = Events(rawValue: 4)
        /// The descriptor has failed, and is not watched any more until the next ``watch(for:)``. Always delivered.
        public static let failed = Events(rawValue: 1 << 16)
    }

    /// The events that the descriptor is watched for now.
    public private(set) var watched: Events = []
    private var target: (any PollTarget)?

    /// Creates a poll of a descriptor that can be polled, such as a socket or a pipe.
    ///
    /// - Parameters:
    ///   - loop: the loop on whose thread the poll is created, used and closed.
    ///   - fd: the descriptor. The caller owns it, and must not close it before the poll.
    ///   - events: the events to watch for. With none, the poll waits for ``watch(for:)``.
    ///   - handler: called on the loop whenever the descriptor is ready, and again as long as it stays ready.
    /// - Throws: ``LoopError`` if the descriptor can't be watched, because it is a file or is already watched.
    public convenience init(
        on loop: Loop, fd: Int32, events: Events = [], handler: @escaping (Events) -> Void
    ) throws {
        try self.init(on: loop, fd: fd, events: events, target: PollCall(handler))
    }

    /// Creates a poll that calls an object. The poll retains the object until ``close()``, and while it calls the object.
    package init(on loop: Loop, fd: Int32, events: Events = [], target: any PollTarget) throws {
        loop.preconditionOnLoop()
        self.target = target
        super.init(of: uv_poll_t.self, on: loop.adoption)
        try opened(uv_poll_init(loop.raw, poll, fd))
        if !events.isEmpty { try watch(for: events) }
    }

    private var poll: UnsafeMutablePointer<uv_poll_t> { memory.assumingMemoryBound(to: uv_poll_t.self) }

    /// Watches for `events` instead of the previous ones; with none, stops watching.
    public func watch(for events: Events) throws {
        // Unchanged events are skipped, because libuv removes the descriptor from the kernel's set and adds it again.
        guard !isClosed, events != watched else { return }
        watched = events
        guard !events.isEmpty else { return try LoopError.check(uv_poll_stop(poll)) }
        let result = uv_poll_start(poll, events.rawValue) { raw, status, events in
            // libuv retains the poll until its close callback.
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

/// Receives the events of a descriptor.
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
