#if Redis
    import FreshetCore
    import FreshetLoop

    /// Commands and their answers, in order, each with a deadline.
    ///
    /// What was under way when the connection broke is sent again on the next one: every command of this module may run twice.
    // Not sendable: the loop's thread alone touches it.
    final class RedisCommandChannel {
        private struct Command {
            let arguments: [[UInt8]]
            let due: Instant
            let completion: (Result<RedisReply, RedisFailure>) -> Void
        }

        let session: RedisSession
        private let timeout: Duration
        /// On the wire.
        private var sent: [Command] = []
        private var waiting: [Command] = []
        /// Why commands fail at once, until the server is back.
        private var outage: RedisFailure?
        private var lastFailure: RedisFailure?
        private var wasReady = false
        private var deadline: LoopTimer?
        private var isClosed = false
        /// What the loop knows of it.
        var ending: UInt64?
        /// Called whenever the server is there again.
        private var listeners: [(key: ObjectIdentifier, action: () -> Void)] = []
        /// Called when it is closed.
        private var endings: [ObjectIdentifier: () -> Void] = [:]

        init(_ session: RedisSession, timeout: Duration) {
            self.session = session
            self.timeout = timeout
            session.isWanted = { [weak self] in self?.isWanting ?? false }
            session.handler = { [weak self] in self?.happened($0) }
        }

        private var loop: Loop { session.loop }
        private var isWanting: Bool { outage != nil || !waiting.isEmpty || !listeners.isEmpty }

        /// - Parameter completion: called on the loop, also before this returns.
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

        /// Has `action` called whenever the server is there again, until it is taken back; meanwhile connects by itself.
        func listen(_ owner: AnyObject, _ action: (() -> Void)?) {
            listeners.removeAll { $0.key == ObjectIdentifier(owner) }
            if let action { listeners.append((ObjectIdentifier(owner), action)) }
        }

        /// Has `action` called at the end, until it is taken back.
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

        private func happened(_ event: RedisSession.Event) {
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
                session.abandon(.answered(code))
            case .reply(let reply):
                guard !sent.isEmpty else { return session.abandon(.senseless) }
                session.prosper()
                let command = sent.removeFirst()
                watchDeadline()
                if case .error(let code) = reply {
                    command.completion(.failure(.answered(code)))
                } else {
                    command.completion(.success(reply))
                }
            case .down(let failure):
                waiting = sent + waiting
                sent = []
                lastFailure = failure
                switch failure {
                // A server that was there may be starting again; one that never was is another matter.
                case .away where wasReady: break
                case .busy: break
                default: endure(failure)
                }
            }
        }

        private func endure(_ failure: RedisFailure) {
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
            if deadline == nil { deadline = LoopTimer(on: loop) { [weak self] in self?.timeIsUp() } }
            deadline?.start(at: first.due)
        }

        private func timeIsUp() {
            guard let first = sent.first ?? waiting.first else { return }
            guard first.due <= loop.now else { return watchDeadline() }
            let failure = lastFailure ?? .away("no response in \(timeout)")
            if session.isReady {
                outage = failure
                session.abandon(failure)
            }
            endure(failure)
        }
    }
#endif
