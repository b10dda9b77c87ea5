import FreshetCore
import FreshetLoop

/// The listening socket and the connections that came from it.
// Unchecked: apart from `counts` and what never changes, everything is touched on the loop alone.
final class Listener: @unchecked Sendable {
    struct Counts {
        var accepted = 0
        var open = 0
        var sent = 0
    }

    let loop: Loop
    let script: AnswerScript
    let configuration: ScriptedServer.Configuration
    let origin: String
    let counts = Locked(Counts())
    /// What is done to the next connections.
    let plans = Locked<[ScriptedConnection]>([])
    /// Where connections read into, one at a time.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)

    private let socket: Socket
    private var poll: LoopPoll?
    private var connections: [ObjectIdentifier: ServerConnection] = [:]
    private var atEnd: UInt64?
    private var pause: (any Disposable)?
    private var isClosed = false

    /// How long nothing is accepted when the process has no descriptors left, unless a connection closes before.
    private static let pauseWithoutDescriptors = Duration.milliseconds(20)
    /// How many connections are accepted before others have their turn on the loop.
    private static let burst = 64

    init(
        _ socket: Socket, on loop: Loop, origin: String, script: AnswerScript,
        _ configuration: ScriptedServer.Configuration
    ) {
        self.socket = socket
        self.loop = loop
        self.origin = origin
        self.script = script
        self.configuration = configuration
        Resources.increment()
    }

    deinit {
        scratch.deallocate()
        Resources.decrement()
    }

    func start() {
        guard !isClosed else { return }
        atEnd = loop.atEnd { self.shutDown() }
        poll = try? LoopPoll(on: loop, fd: socket.fd, events: .readable) { [unowned self] _ in accept() }
        if poll == nil { shutDown() }
    }

    private func accept() {
        do {
            for _ in 0..<Self.burst {
                guard let accepted = try socket.accept() else { return }
                let number = counts.withLock { counts in
                    counts.accepted += 1
                    counts.open += 1
                    return counts.accepted
                }
                let plan = plans.withLock { $0.isEmpty ? ScriptedConnection() : $0.removeFirst() }
                let connection = ServerConnection(accepted, number: number, plan: plan, of: self)
                connections[ObjectIdentifier(connection)] = connection
                connection.start()
            }
        } catch {
            // The connection stays in the backlog, and the descriptor would stay readable: without a pause the loop
            // would spin.
            try? poll?.watch(for: [])
            pause?.dispose()
            pause = LoopScheduler(loop).scheduleRelative((), dueTime: Self.pauseWithoutDescriptors) { [weak self] _ in
                self?.resume()
                return Disposables.create()
            }
        }
    }

    private func resume() {
        guard let pausing = pause else { return }
        pause = nil
        pausing.dispose()
        try? poll?.watch(for: .readable)
    }

    func closed(_ connection: ServerConnection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        counts.withLock { $0.open -= 1 }
        resume()
    }

    /// Does something to all connections.
    func forEachConnection(_ body: @escaping @Sendable (ServerConnection) -> Void) {
        let work: @Sendable () -> Void = { [self] in connections.values.forEach(body) }
        if loop.isCurrent { work() } else { loop.execute(work) }
    }

    func close() {
        if loop.isCurrent { return shutDown() }
        let latch = Latch()
        let isTaken = loop.execute { [self] in
            shutDown()
            // The loop lets go of closed handles at the end of this turn, and of timers at the end of theirs.
            let ending = loop.atEnd { latch.open() }
            _ = LoopScheduler(loop).scheduleRelative((), dueTime: .milliseconds(1)) { [loop] _ in
                loop.forgetEnd(ending)
                loop.execute { latch.open() }
                return Disposables.create()
            }
        }
        if isTaken { latch.wait() }
    }

    private func shutDown() {
        guard !isClosed else { return }
        isClosed = true
        if let atEnd { loop.forgetEnd(atEnd) }
        pause?.dispose()
        pause = nil
        poll?.close()
        poll = nil
        socket.close()
        for connection in connections.values { connection.close() }
    }
}
