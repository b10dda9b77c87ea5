#if Redis
    import FreshetCore
    import FreshetLoop

    /// Sends commands and receives their replies, in order. Each command has a deadline.
    ///
    /// A command without a reply when the connection breaks is sent again on the next one. Every command of this module can
    /// therefore run twice.
    // Not sendable: only the loop's thread uses it.
    final class RedisCommandChannel {
        private struct Command {
            let arguments: [[UInt8]]
            let due: Instant
            let completion: (Result<RedisReply, RedisFailure>) -> Void
        }

        let session: RedisSession
        private let timeout: Duration
        /// The commands that were sent and have no reply yet.
        private var sent: [Command] = []
        private var waiting: [Command] = []
        /// The error with which commands fail at once, until the server is back; `nil` while the server is not known to be
        /// away.
        private var outage: RedisFailure?
        private var lastFailure: RedisFailure?
        private var wasReady = false
        private var deadline: LoopTimer?
        private var isClosed = false
        /// The loop's number for the action that closes the connection when the loop ends.
        var ending: UInt64?
        /// The actions that run whenever the server is back.
        private var listeners: [(key: ObjectIdentifier, action: () -> Void)] = []
        /// The actions that run when the channel is closed.
        private var endings: [ObjectIdentifier: () -> Void] = [:]

        init(_ session: RedisSession, timeout: Duration) {
            self.session = session
            self.timeout = timeout
            session.isWanted = { [weak self] in self?.isWanting ?? false }
            session.handler = { [weak self] in self?.handle($0) }
        }

        private var loop: Loop { session.loop }
        private var isWanting: Bool { outage != nil || !waiting.isEmpty || !listeners.isEmpty }

        /// Sends a command, or keeps it until there is a connection.
        ///
        /// - Parameter completion: called on the loop, possibly before this method returns.
        func submit(_ arguments: [[UInt8]], _ completion: @escaping (Result<RedisReply, RedisFailure>) -> Void) {
            guard !isClosed else { return completion(.failure(.ended)) }
            if let outage {
                session.open()
                return completion(.failure(outage))
            }
            let command = Command(arguments: arguments, due: loop.now.advanced(by: timeout), completion: completion)
            if session.isReady {
                sent.append(command)
                session.send(arguments)
            } else {
                waiting.append(command)
                session.open()
            }
            watchDeadline()
        }

        /// Calls `action` whenever the server is back, until `owner` passes `nil`. While there is a listener, the session
        /// reconnects by itself.
        func listen(_ owner: AnyObject, _ action: (() -> Void)?) {
            listeners.removeAll { $0.key == ObjectIdentifier(owner) }
            if let action { listeners.append((ObjectIdentifier(owner), action)) }
        }

        /// Calls `action` when the channel is closed, unless `owner` passes `nil` before.
        func atEnd(_ owner: AnyObject, _ action: (() -> Void)?) {
            endings[ObjectIdentifier(owner)] = action
        }

        func close() {
            isClosed = true
            session.close()
            deadline?.close()
            deadline = nil
            listeners = []
            fail(with: .ended)
            let endings = Array(endings.values)
            self.endings = [:]
            for ending in endings { ending() }
        }

        private func handle(_ event: RedisSession.Event) {
            switch event {
            case .ready:
                outage = nil
                lastFailure = nil
                wasReady = true
                let commands = waiting
                waiting = []
                sent = commands
                for command in commands { session.send(command.arguments) }
                for listener in listeners { listener.action() }
            case .reply(.error(let code)) where RedisFailure.isPassing(code):
                session.abandon(.errorReply(code))
            case .reply(let reply):
                guard !sent.isEmpty else { return session.abandon(.senseless) }
                let isReplica = if case .error("READONLY") = reply { true } else { false }
                if !isReplica { session.resetFailures() }
                let command = sent.removeFirst()
                watchDeadline()
                if case .error(let code) = reply {
                    command.completion(.failure(.errorReply(code)))
                } else {
                    command.completion(.success(reply))
                }
                // The server's name may lead to another primary by now, but only a new connection does.
                if isReplica { session.abandon(.away("it is a replica")) }
            case .down(let failure):
                waiting = sent + waiting
                sent = []
                lastFailure = failure
                switch failure {
                // A server that was reachable before may be restarting, so its commands wait. Commands to a server that was never
                // reachable fail.
                case .away where wasReady: break
                case .busy: break
                default: enterOutage(failure)
                }
            }
        }

        private func enterOutage(_ failure: RedisFailure) {
            outage = failure
            fail(with: failure)
        }

        private func fail(with failure: RedisFailure) {
            let commands = sent + waiting
            sent = []
            waiting = []
            watchDeadline()
            for command in commands { command.completion(.failure(failure)) }
        }

        private func watchDeadline() {
            guard let first = sent.first ?? waiting.first, !isClosed else {
                deadline?.stop()
                return
            }
            if deadline == nil { deadline = LoopTimer(on: loop) { [weak self] in self?.deadlineReached() } }
            deadline?.start(at: first.due)
        }

        private func deadlineReached() {
            guard let first = sent.first ?? waiting.first else { return }
            guard first.due <= loop.now else { return watchDeadline() }
            let failure = lastFailure ?? .away("no response in \(timeout)")
            if session.isReady {
                outage = failure
                session.abandon(failure)
            }
            enterOutage(failure)
        }
    }
#endif
