import FreshetCore
import FreshetLoop

/// The listening socket and its accepted connections. Only the loop's thread uses it.
final class Listener {
    struct Counts {
        var accepted = 0
        var open = 0
        var sent = 0
    }

    let loop: Loop
    let script: ResponseScript
    let configuration: ScriptedServer.Configuration
    let origin: String
    let counts: Locked<Counts>
    /// What the server does to the next connections, one entry for each.
    private let plans: Locked<Fifo<ScriptedConnection>>
    /// The buffer that connections read into, one at a time.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)

    private let socket: Socket
    private var poll: LoopPoll?
    private var connections: [ObjectIdentifier: ServerConnection] = [:]
    private var atEnd: UInt64?
    private var pause: (any Disposable)?
    private var isClosed = false

    /// How long the server accepts no connection when the process has no descriptors left. It continues earlier if a
    /// connection closes.
    private static let pauseWithoutDescriptors = Duration.milliseconds(20)
    /// The number of connections that are accepted before the loop continues with other work.
    private static let burst = 64

    init(
        _ socket: Socket, on loop: Loop, origin: String, script: ResponseScript,
        _ configuration: ScriptedServer.Configuration, counts: Locked<Counts>, plans: Locked<Fifo<ScriptedConnection>>
    ) {
        self.counts = counts
        self.plans = plans
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
        atEnd = loop.atEnd { self.close() }
        poll = try? LoopPoll(on: loop, fd: socket.fd, events: .readable) { [unowned self] _ in accept() }
        if poll == nil { close() }
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
                let plan = plans.withLock { $0.popFirst() } ?? ScriptedConnection()
                let connection = ServerConnection(accepted, number: number, plan: plan, of: self)
                connections[ObjectIdentifier(connection)] = connection
                connection.start()
            }
        } catch {
            // The connection stays in the backlog, so the descriptor stays readable. Without a pause the loop would spin.
            try? poll?.watch(for: [])
            pause?.dispose()
            let resume = loop.bound { [weak self] in self?.resume() }
            pause = LoopScheduler(loop).scheduleRelative((), dueTime: Self.pauseWithoutDescriptors) {
                resume()
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

    /// Calls `body` for each connection.
    func forEachConnection(_ body: (ServerConnection) -> Void) {
        connections.values.forEach(body)
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        if let atEnd { loop.removeEnd(atEnd) }
        pause?.dispose()
        pause = nil
        poll?.close()
        poll = nil
        socket.close()
        for connection in connections.values { connection.close() }
    }
}
