#if Redis
    import FreshetAuth
    import FreshetCore
    import FreshetLoop

    /// One key of a server: the record in it as far as it is known here, and those of this process who want its lease, of whom
    /// one at a time has it or tries for it.
    // Not sendable: the loop's thread alone touches it.
    final class RedisLeaseQueue {
        /// A record, and what stood for it at the key; nothing if nothing did.
        struct Known {
            var stored: StoredCredential
            var bytes: [UInt8]?
        }

        let key: String
        let settings: RedisStore.Settings
        let loop: Loop
        private let connection: RedisConnection
        private let secondsSince1970: @Sendable () -> Double

        private(set) var clock = RedisClock()
        /// The last record that was read or written.
        private(set) var known: Known?
        /// What was written while the server was away: the record, and what stood at the key before.
        private(set) var unwritten: Known?
        private var queue: [RedisAttempt] = []

        init(
            _ key: String, on connection: RedisConnection, _ settings: RedisStore.Settings,
            _ secondsSince1970: @escaping @Sendable () -> Double
        ) {
            self.key = key
            self.connection = connection
            self.settings = settings
            self.secondsSince1970 = secondsSince1970
            loop = connection.loop
            Resources.increment()
        }

        deinit { Resources.decrement() }

        private var link: RedisCommandChannel { connection.links.value.commands }
        var lockKey: String { key + ":lock" }
        /// Channels are the same for all databases of a server.
        var channel: String { "\(lockKey)@\(connection.server.database)" }
        var goesOn: Bool { settings.whenAway == .goOn && known != nil }
        var subscriptions: RedisSubscriptions { connection.links.value.subscriptions }

        func error(_ failure: RedisFailure) -> StoreError {
            failure.error(at: connection.server, key: key)
        }

        // MARK: Commands

        func run(
            _ script: RedisScript, keys: [String], _ arguments: [[UInt8]],
            _ completion: @escaping (Result<RedisReply, RedisFailure>) -> Void
        ) {
            link.submit(script.command(keys: keys, arguments), completion)
        }

        /// Measures the clocks with an answer that has the server's time in it.
        func recordTime(_ time: ArraySlice<RedisReply>, since start: Instant) {
            clock.record(time, now: secondsSince1970(), roundTrip: start.duration(to: loop.now))
        }

        func encoded(_ record: StoredCredential) throws -> [UInt8] {
            try RedisRecord.encode(record, offset: clock.offset, at: connection.server, key: key)
        }

        /// Makes sense of what is at the key, and remembers it.
        func learn(_ bytes: [UInt8]?) throws -> StoredCredential {
            let stored = try RedisRecord.decode(bytes, offset: clock.offset, at: connection.server, key: key)
            known = Known(stored: stored, bytes: bytes)
            return stored
        }

        func remember(_ record: StoredCredential, as bytes: [UInt8]) {
            known = Known(stored: record, bytes: bytes)
            settle()
        }

        // MARK: Reading

        func load(_ completion: @escaping (Result<StoredCredential, any Error>) -> Void) {
            if let unwritten { return completion(.success(unwritten.stored)) }
            read { completion($0.map(\.stored)) }
        }

        func read(_ completion: @escaping (Result<Known, any Error>) -> Void) {
            let start = loop.now
            link.submit([Array("TIME".utf8)]) { result in
                if case .success(let reply) = result { self.recordTime(reply.list[...], since: start) }
            }
            link.submit([Array("GET".utf8), Array(key.utf8)]) { result in
                switch result {
                case .success(let reply):
                    completion(Result { Known(stored: try self.learn(reply.bytes), bytes: reply.bytes) })
                case .failure(let failure):
                    if failure.isAbsence, self.goesOn, let known = self.known { return completion(.success(known)) }
                    completion(.failure(self.error(failure)))
                }
            }
        }

        // MARK: What could not be written

        /// Keeps a record here until the server is back.
        func keep(_ record: StoredCredential, over bytes: [UInt8]?) {
            known = Known(stored: record, bytes: nil)
            // Nor is a refusal the last word: perhaps a sibling, which can't tell, has the next pair.
            guard !record.isRefused else { return }
            unwritten = Known(stored: record, bytes: bytes)
            link.listen(self) { [weak self] in self?.flush() }
        }

        /// Nothing is left to be written.
        func settle() {
            unwritten = nil
            link.listen(self, nil)
        }

        /// Whoever takes the lease writes it, so a turn of nobody's is enough.
        private func flush() {
            guard unwritten != nil else { return }
            enter(RedisAttempt(of: self) { result in if case .success(let hold) = result { hold.release() } })
        }

        func close() {
            link.listen(self, nil)
        }

        // MARK: Taking turns

        func enter(_ attempt: RedisAttempt) {
            queue.append(attempt)
            guard queue.count == 1 else { return }
            link.atEnd(self) { [weak self] in self?.end() }
            attempt.begin()
        }

        func abandon(_ attempt: RedisAttempt) {
            guard !attempt.isOver else { return }
            attempt.cancel()
            leave(attempt)
        }

        /// The attempt has failed or its lease has been given back: the next one begins.
        func leave(_ attempt: RedisAttempt) {
            guard let index = queue.firstIndex(where: { $0 === attempt }) else { return }
            queue.remove(at: index)
            if queue.isEmpty { link.atEnd(self, nil) }
            if index == 0, let next = queue.first { next.begin() }
        }

        /// The loop ends: nobody waits any longer, and what is held is not given back any more.
        private func end() {
            let attempts = queue
            queue = []
            for attempt in attempts { attempt.end() }
        }
    }
#endif
