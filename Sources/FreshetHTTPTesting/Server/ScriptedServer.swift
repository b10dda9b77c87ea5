import FreshetCore
public import FreshetLoop

/// A loopback HTTP/1.1 server. The test scripts each byte and delay of its responses, and the server records the requests.
///
/// The server runs on a loop, which can be the client's. It responds to the requests of a connection one after the
/// other, even if they arrive together. If a client closes its end before the response is complete, the request is
/// recorded in `abandoned`. The server stops only with ``close()`` or with its loop.
public final class ScriptedServer: ResponseScripted {
    public struct Configuration: Sendable {
        /// The port; 0 uses a free one.
        public var port = 0
        /// The maximum size of a head in bytes. The server responds to a larger head with 431.
        public var maximumHeadSize = 64 * 1024
        /// The maximum size of a body in bytes. The server responds to a larger body with 413.
        public var maximumBodySize = 64 * 1024 * 1024
        /// How fast the server reads requests.
        public var readPace = ReadPace.unlimited
        /// Called when the head of a request with a body has arrived. The server sends a returned response at once in
        /// place of `100 Continue`, leaves the body unread and ends the connection. If the closure returns `nil`, the
        /// server handles the request as usual.
        public var beforeBody: (@Sendable (RecordedRequest) -> ScriptedResponse?)?

        public init() {}
    }

    /// How fast a server reads.
    public enum ReadPace: Sendable, Hashable {
        case unlimited
        /// Reads at most `bytes` at a time, and then nothing for `pause`. The system's buffer is small too.
        case limited(bytes: Int, pause: Duration)
    }

    public let script: ResponseScript
    public let port: Int
    private let listener: LoopBound<Listener>
    private let counts = Locked(Listener.Counts())
    private let plans = Locked(Fifo<ScriptedConnection>())

    /// Creates a server and starts to listen. Can be called from any thread, including the loop's.
    ///
    /// - Throws: `LoopError` if the port is in use or does not exist, or if no descriptor is left.
    public init(
        on loop: Loop, script: ResponseScript = ResponseScript(), configuration: Configuration = Configuration()
    ) throws {
        let receiveBuffer: Int? = if case .limited(let bytes, _) = configuration.readPace { bytes } else { nil }
        let (socket, port) = try Socket.listening(on: configuration.port, receiveBuffer: receiveBuffer)
        self.script = script
        self.port = port
        let origin = "http://127.0.0.1:\(port)"
        listener = .sending(
            Listener(socket, on: loop, origin: origin, script: script, configuration, counts: counts, plans: plans),
            on: loop)
        if !loop.execute({ [listener] in listener.value.start() }) { socket.close() }
    }

    /// The URL of the root without a slash at its end: `http://127.0.0.1:PORT`.
    public var url: String { "http://127.0.0.1:\(port)" }

    /// The number of connections that were accepted so far.
    public var acceptedConnections: Int { counts.withLock { $0.accepted } }

    /// The number of bytes that the system has accepted for sending, on all connections. It includes what clients have
    /// read and what is still in buffers.
    public var sentBytes: Int { counts.withLock { $0.sent } }

    /// The number of open connections.
    public var openConnections: Int { counts.withLock { $0.open } }

    /// Applies `plans` to the next connections, one plan for each.
    public func enqueue(connection plans: ScriptedConnection...) {
        self.plans.withLock { queue in
            for plan in plans { queue.append(plan) }
        }
    }

    /// Sends unsolicited bytes on all open connections. Can be called from any thread.
    public func sendUnsolicited(_ text: String) {
        onLoop { $0.forEachConnection { $0.sendUnsolicited(Array(text.utf8)) } }
    }

    /// Ends all open connections as a restart of the server does, including those with an incomplete response. Can be
    /// called from any thread.
    public func endConnections(by ending: ScriptedConnection.Ending) {
        onLoop { $0.forEachConnection { $0.end(ending) } }
    }

    /// Ends the server and all its connections. Can be called more than once and from any thread. On any thread except
    /// the loop's own, it returns when everything is closed.
    public func close() {
        let loop = listener.loop
        if loop.isCurrent { return listener.value.close() }
        let isClosed = Semaphore()
        let isTaken = loop.execute { [listener] in
            listener.value.close()
            // The loop releases closed handles at the end of this turn, and timers at the end of the turn in which they fire.
            let ending = loop.atEnd { isClosed.signal() }
            _ = LoopScheduler(loop).scheduleRelative((), dueTime: .milliseconds(1)) { _ in
                loop.removeEnd(ending)
                loop.execute { isClosed.signal() }
                return Disposables.create()
            }
        }
        if isTaken { isClosed.wait() }
    }

    private func onLoop(_ work: @escaping @Sendable (Listener) -> Void) {
        let loop = listener.loop
        if loop.isCurrent { work(listener.value) } else { loop.execute { [listener] in work(listener.value) } }
    }
}
