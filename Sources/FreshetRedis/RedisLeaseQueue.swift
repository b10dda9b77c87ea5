#if Redis
    import FreshetAuth
    import FreshetCore
    import FreshetLoop

    /// One key of a server: the last known record, and the attempts of this store to acquire the lease. One attempt at a time
    /// holds the lease or asks for it.
    // Not sendable: only the loop's thread uses it.
    final class RedisLeaseQueue {
        /// A record, and the bytes that were at the key when it was read, written or kept; `nil` if there were none.
        struct Known {
            var stored: StoredCredential
            var bytes: [UInt8]?
            /// The bytes of a write whose reply was lost. They may be at the key too.
            var attempted: [UInt8]?

            /// Whether the bytes at the key are this store's own, so that its record may replace them.
            func mayReplace(_ bytes: [UInt8]?) -> Bool {
                bytes == nil || bytes == self.bytes || bytes == attempted
            }
        }

        let key: String
        let settings: RedisStore.Settings
        let loop: Loop
        private let connection: RedisConnection
        private let secondsSince1970: @Sendable () -> Double

        private(set) var clock = RedisClock()
        /// The last record that was read or written.
        private(set) var known: Known?
        /// The record that was saved while the server was away, and the bytes that were at the key before; `nil` if everything
        /// is written.
        private(set) var unwritten: Known?
        private var queue: [RedisAttempt] = []
        private var isBeginning = false

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
        /// The name contains the database, because all databases of a server share their channels.
        var channel: String { "\(lockKey)@\(connection.server.database)" }
        var usesLastRecord: Bool { settings.outagePolicy == .useLastRecord && known != nil }
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

        /// Measures the difference of the clocks with a reply that contains the server's time.
        func recordTime(_ time: ArraySlice<RedisReply>, since start: Instant) {
            clock.record(time, now: secondsSince1970(), roundTrip: start.duration(to: loop.now))
        }

        func encoded(_ record: StoredCredential) throws -> [UInt8] {
            try RedisRecord.encode(record, offset: clock.offset, at: connection.server, key: key)
        }

        /// Decodes the bytes at the key, and remembers the record. A server that has lost the record does not end the session of
        /// a store that continues without it: the known record counts, and the next attempt writes it; see ``RedisAttempt``.
        private func received(_ bytes: [UInt8]?) throws -> StoredCredential {
            if bytes == nil, usesLastRecord, let known, known.stored.credential != nil { return known.stored }
            let stored = try RedisRecord.decode(bytes, offset: clock.offset, at: connection.server, key: key)
            known = Known(stored: stored, bytes: bytes)
            return stored
        }

        func remember(_ record: StoredCredential, as bytes: [UInt8]) {
            known = Known(stored: record, bytes: bytes)
            forgetUnwritten()
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
                    completion(Result { Known(stored: try self.received(reply.bytes), bytes: reply.bytes) })
                case .failure(let failure):
                    if failure.isAbsence, self.usesLastRecord, let known = self.known {
                        return completion(.success(known))
                    }
                    completion(.failure(self.error(failure)))
                }
            }
        }

        // MARK: Unwritten records

        /// Keeps a record in memory, and writes it when the server is back if `bytes` are still at the key, or `attempted`,
        /// with which a write ended without a reply.
        func keep(_ record: StoredCredential, over bytes: [UInt8]?, attempted: [UInt8]? = nil) {
            known = Known(stored: record, bytes: bytes, attempted: attempted ?? unwritten?.attempted)
            // The refusal of a pair that other programs can read is not written: one of them may hold the next pair, but can't
            // share it while the server is away. A pair that is not written yet is this store's alone.
            guard !record.isRefused || unwritten != nil else { return }
            unwritten = known
            link.listen(self) { [weak self] in self?.flush() }
            // The server can be back already, and would not be reported as back again.
            if link.session.isReady { flush() }
        }

        /// Forgets the unwritten record, and stops listening for the server.
        func forgetUnwritten() {
            unwritten = nil
            link.listen(self, nil)
        }

        /// Acquires the lease and releases it. Acquiring it writes the unwritten record; see ``RedisAttempt``.
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
            beginNext()
        }

        /// Begins the first attempt unless it has begun. Attempts that end within the call, as while the server is away, begin
        /// one after the other in this loop, because a stack that grew with each of them could overflow.
        private func beginNext() {
            guard !isBeginning else { return }
            isBeginning = true
            defer { isBeginning = false }
            while let next = queue.first, !next.hasBegun { next.begin() }
        }

        func abandon(_ attempt: RedisAttempt) {
            guard !attempt.isOver else { return }
            attempt.cancel()
            leave(attempt)
        }

        /// Removes an attempt that has failed or has released its lease, and begins the next one.
        func leave(_ attempt: RedisAttempt) {
            guard let index = queue.firstIndex(where: { $0 === attempt }) else { return }
            queue.remove(at: index)
            if queue.isEmpty { link.atEnd(self, nil) }
            if index == 0 { beginNext() }
        }

        /// Ends all attempts, because the loop ends. A held lease is not released; it expires.
        private func end() {
            let attempts = queue
            queue = []
            for attempt in attempts { attempt.end() }
        }
    }
#endif
