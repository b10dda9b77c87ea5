import FreshetCore
public import FreshetLoop

/// A loopback HTTP/1.1 server whose answers are scripted down to the byte and the moment, and which records what it was
/// asked.
///
/// It runs on a loop, which can be the client's. Requests on one connection are answered one after the other, also when
/// they come at once. A client that closes its end before the answer is complete has left: that is recorded in
/// `abandoned`. It stops with ``close()`` or with its loop, and not before.
public final class ScriptedServer: ResponseScripted {
    public struct Configuration: Sendable {
        /// 0 takes a free port.
        public var port = 0
        /// In bytes; more is answered with 431.
        public var maximumHeadSize = 64 * 1024
        /// In bytes; more is answered with 413.
        public var maximumBodySize = 64 * 1024 * 1024
        /// How fast requests are read.
        public var reading = Reading.atOnce
        /// Asked when the head of a request with a body has come: an answer is sent at once in place of `100 Continue`,
        /// the body is left unread, and the connection ends. Without an answer the request goes the usual way.
        public var beforeBody: (@Sendable (RecordedRequest) -> ScriptedResponse?)?

        public init() {}
    }

    /// How fast a server reads.
    public enum Reading: Sendable, Hashable {
        case atOnce
        /// At most `bytes` at a time, and then nothing for `pause`; the system's buffer is small too.
        case slowly(bytes: Int, pause: Duration)
    }

    public let script: ResponseScript
    public let port: Int
    private let listener: LoopBound<Listener>
    private let counts = Locked(Listener.Counts())
    private let plans = Locked<[ScriptedConnection]>([])

    /// Starts to listen; callable from any thread, the loop's too.
    ///
    /// - Throws: `LoopError`, if the port is taken or no descriptor is left.
    public init(
        on loop: Loop, script: ResponseScript = ResponseScript(), configuration: Configuration = Configuration()
    ) throws {
        let receiveBuffer: Int? = if case .slowly(let bytes, _) = configuration.reading { bytes } else { nil }
        let (socket, port) = try Socket.listening(on: configuration.port, receiveBuffer: receiveBuffer)
        self.script = script
        self.port = port
        let origin = "http://127.0.0.1:\(port)"
        listener = .sending(
            Listener(socket, on: loop, origin: origin, script: script, configuration, counts: counts, plans: plans),
            on: loop)
        if !loop.execute({ [listener] in listener.value.start() }) { socket.close() }
    }

    /// The address of the root without a slash at its end: `http://127.0.0.1:PORT`.
    public var url: String { "http://127.0.0.1:\(port)" }

    /// How many connections were accepted so far.
    public var acceptedConnections: Int { counts.withLock { $0.accepted } }

    /// How many bytes the system has taken to be sent, on all connections: what clients have read, and the buffers between.
    public var sentBytes: Int { counts.withLock { $0.sent } }

    /// How many connections are open.
    public var openConnections: Int { counts.withLock { $0.open } }

    /// Does these things to the next connections, one each.
    public func enqueue(connection plans: ScriptedConnection...) {
        self.plans.withLock { $0 += plans }
    }

    /// Sends bytes that nobody asked for on all open connections. Can be called from any thread.
    public func say(_ text: String) {
        onLoop { $0.forEachConnection { $0.say(Array(text.utf8)) } }
    }

    /// Ends all open connections as if the server were restarted: answers under way break off. Can be called from any
    /// thread.
    public func endConnections(by ending: ScriptedConnection.Ending) {
        onLoop { $0.forEachConnection { $0.end(ending) } }
    }

    /// Ends the server and all its connections. Can be called more than once, from any thread; off the loop's own it
    /// returns when everything is closed.
    public func close() {
        let loop = listener.loop
        if loop.isCurrent { return listener.value.close() }
        let isClosed = Semaphore()
        let isTaken = loop.execute { [listener] in
            listener.value.close()
            // The loop lets go of closed handles at the end of this turn, and of timers at the end of theirs.
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
