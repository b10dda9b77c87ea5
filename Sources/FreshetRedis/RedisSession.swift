#if Redis
    import FreshetCore
    import FreshetLoop

    /// A connection that is opened again after a loss while its owner wants it. The pause before each attempt grows.
    // Not sendable: only the loop's thread uses it.
    final class RedisSession {
        enum Event {
            /// The connection is open, and the server accepts commands.
            case ready
            case reply(RedisReply)
            /// The connection is lost, or could not be opened.
            case down(RedisFailure)
        }

        private enum State {
            case idle
            /// Connecting: the addresses that were not tried yet, and the number of replies to wait for before the session is
            /// ready.
            case opening([RedisAddress], responses: Int)
            case ready
            case pausing
            case closed
        }

        let server: RedisServer
        let loop: Loop
        /// Whether to connect again after a loss.
        var isWanted: () -> Bool = { true }
        var handler: (Event) -> Void = { _ in }

        private let connectTimeout: Duration
        private var state = State.idle
        private var wire: RedisSocket?
        /// The look-up that is under way. It goes on during a pause, and the next attempt to connect takes its result.
        private var lookup: NameLookup?
        private var failures = 0
        private var timer: LoopTimer?

        /// - Parameter connectTimeout: how long connecting may take, including the server's first replies.
        init(_ server: RedisServer, on loop: Loop, connectTimeout: Duration) {
            self.server = server
            self.loop = loop
            self.connectTimeout = connectTimeout
            Resources.increment()
        }

        deinit { Resources.decrement() }

        var isReady: Bool {
            if case .ready = state { true } else { false }
        }

        /// Connects, unless the session is connected or connecting already.
        func open() {
            guard case .idle = state else { return }
            connect()
        }

        /// Sends a command. The connection must be open.
        func send(_ arguments: [[UInt8]]) {
            wire?.send(arguments)
        }

        /// Resets the pause, because the connection works.
        func resetFailures() {
            failures = 0
        }

        /// Closes the connection, reports `failure`, and connects again after a pause if the owner wants that.
        func abandon(_ failure: RedisFailure) {
            wire?.close()
            wire = nil
            if case .closed = state { return }
            failures += 1
            state = .pausing
            handler(.down(failure))
            guard case .pausing = state else { return }
            guard isWanted() else {
                state = .idle
                failures = 0
                timer?.stop()
                return
            }
            start(after: Self.pause(after: failures, random: Double.random(in: 0..<1)))
        }

        func close() {
            wire?.close()
            wire = nil
            timer?.close()
            timer = nil
            lookup?.cancel()
            lookup = nil
            state = .closed
            handler = { _ in }
            isWanted = { false }
        }

        /// The pause before the next attempt: 10 ms after the first failure, then doubling up to 1 s. The pause is random,
        /// between half of that and all of it, so that many clients do not reconnect at once.
        static func pause(after failures: Int, random: Double) -> Duration {
            let longest = Duration.milliseconds(min(1000, 5 << min(failures, 10)))
            return longest * (0.5 + random / 2)
        }

        private func start(after delay: Duration) {
            if timer == nil { timer = LoopTimer(on: loop) { [weak self] in self?.deadlineReached() } }
            timer?.start(after: delay)
        }

        private func deadlineReached() {
            switch state {
            case .pausing: connect()
            case .opening(let addresses, _): tryNext(of: addresses, after: .away("no response in \(connectTimeout)"))
            case .idle, .ready, .closed: break
            }
        }

        private func connect() {
            state = .opening([], responses: 0)
            start(after: connectTimeout)
            guard lookup == nil else { return }
            let session = LoopBound(self, on: loop)
            lookup = server.endpoint.lookUp(on: loop) { session.value.lookedUp($0) }
        }

        private func lookedUp(_ result: Result<[RedisAddress], RedisFailure>) {
            lookup = nil
            guard case .opening = state else { return }
            switch result {
            case .success(let addresses): tryNext(of: addresses, after: .away("it has no address"))
            case .failure(let failure): abandon(failure)
            }
        }

        private func tryNext(of addresses: [RedisAddress], after failure: RedisFailure) {
            wire?.close()
            wire = nil
            guard let address = addresses.first else { return abandon(failure) }
            let rest = Array(addresses.dropFirst())
            state = .opening(rest, responses: 0)
            start(after: connectTimeout)
            do {
                wire = try RedisSocket.open(to: address, on: loop) { [weak self] in self?.handle($0) }
            } catch {
                tryNext(of: rest, after: error as? RedisFailure ?? failure)
            }
        }

        private func handle(_ event: RedisSocket.Event) {
            switch (event, state) {
            case (.connected, .opening(let rest, _)):
                let greeting = greeting
                state = .opening(rest, responses: greeting.count)
                for command in greeting { send(command) }
            case (.reply(.error(let code)), .opening):
                // Another address would lead to the same server, with the same reply.
                abandon(.errorReply(code))
            case (.reply, .opening(let rest, let responses)) where responses > 1:
                state = .opening(rest, responses: responses - 1)
            case (.reply, .opening):
                state = .ready
                timer?.stop()
                handler(.ready)
            case (.ended(.away(let reason)), .opening(_, let responses)) where responses > 0:
                // A server with too many clients does not read the commands, and its error for this client may get lost.
                abandon(.busy("\(reason) before it responded; look into its log and at its maxclients"))
            case (.ended(let failure), .opening(let rest, _)):
                tryNext(of: rest, after: failure)
            case (.reply(let reply), .ready): handler(.reply(reply))
            case (.ended(let failure), .ready): abandon(failure)
            default: break
            }
        }

        /// The commands that open a session. `PING` is the last because a server that loads its data accepts the others.
        private var greeting: [[[UInt8]]] {
            var commands: [[String]] = []
            // A user without a password would otherwise be the server's default user. redis-cli sends an empty one, too.
            if server.user != nil || server.password != nil {
                commands.append(["AUTH"] + (server.user.map { [$0] } ?? []) + [server.password ?? ""])
            }
            if server.database != 0 { commands.append(["SELECT", "\(server.database)"]) }
            commands.append(["PING"])
            return commands.map { $0.map { Array($0.utf8) } }
        }
    }
#endif
