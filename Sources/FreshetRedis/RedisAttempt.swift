#if Redis
    import FreshetAuth
    import FreshetCore
    import FreshetLoop

    /// One attempt to acquire the lease, until it succeeds, fails or is cancelled.
    // Not sendable: only the loop's thread uses it.
    final class RedisAttempt {
        /// How long the attempt waits for a message before it asks for the lease again, varied at random by a quarter up or
        /// down.
        private static let slowPoll = Duration.seconds(1)

        /// The upper limit in milliseconds of the random delay after a write; a little longer than a gate takes to read the
        /// store.
        private static let spread = 30

        /// The longest wait in milliseconds for a lease to expire. ``slowPoll`` ends it long before.
        private static let longestLease = Int.max >> 22

        private let leaseQueue: RedisLeaseQueue
        private let owner =
            Array(String(UInt64.random(in: 0 ... .max), radix: 36).utf8)
            + Array(String(UInt64.random(in: 0 ... .max), radix: 36).utf8)
        private var completion: ((Result<RedisLeaseHandle, any Error>) -> Void)?
        private var timer: LoopTimer?
        private(set) var hasBegun = false
        private var isAsking = false
        private var isToAskAgain = false
        private var isListening = false

        init(of leaseQueue: RedisLeaseQueue, _ completion: @escaping (Result<RedisLeaseHandle, any Error>) -> Void) {
            self.leaseQueue = leaseQueue
            self.completion = completion
            Resources.increment()
        }

        deinit { Resources.decrement() }

        var isOver: Bool { completion == nil }

        func begin() {
            hasBegun = true
            tryAcquire()
        }

        func end() {
            if !isOver { finish(.failure(leaseQueue.error(.ended))) }
        }

        func cancel() {
            completion = nil
            rest()
        }

        private var milliseconds: [UInt8] {
            Array("\(max(1, leaseQueue.settings.lease.nanoseconds / 1_000_000))".utf8)
        }

        private func tryAcquire() {
            guard !isOver else { return }
            guard !isAsking else {
                isToAskAgain = true
                return
            }
            isAsking = true
            isToAskAgain = false
            timer?.stop()
            let start = leaseQueue.loop.now
            leaseQueue.run(.acquire, keys: [leaseQueue.lockKey, leaseQueue.key], [owner, milliseconds]) { result in
                self.isAsking = false
                switch result {
                case .success(let reply): self.receive(reply.list, start)
                case .failure(let failure): self.failed(failure)
                }
            }
        }

        private func receive(_ reply: [RedisReply], _ start: Instant) {
            if reply.count == 4, reply[0].integer == 1 {
                leaseQueue.recordTime(reply[2...], since: start)
                let hold = RedisLeaseHandle(of: leaseQueue, self, owner: owner, milliseconds, record: reply[1].bytes)
                // The caller has cancelled while the command was on the wire.
                guard !isOver else { return hold.release() }
                return acquired(hold)
            }
            guard !isOver else { return }
            guard reply.count == 2, let remaining = reply[1].integer else {
                return finish(.failure(leaseQueue.error(.senseless)))
            }
            if isToAskAgain { return tryAcquire() }
            wait(for: remaining)
        }

        /// Waits until the holder releases the lease or the lease expires, and asks for it again at the latest after
        /// ``slowPoll``.
        private func wait(for milliseconds: Int) {
            if timer == nil { timer = LoopTimer(on: leaseQueue.loop) { [weak self] in self?.tryAcquire() } }
            let remaining = milliseconds < 0 ? Self.longestLease : min(milliseconds, Self.longestLease)
            let end = Duration.milliseconds(remaining + 1)
            timer?.start(after: min(end, Self.slowPoll * Double.random(in: 0.75..<1.25)))
            guard !isListening else { return }
            isListening = true
            leaseQueue.subscriptions.listen(self, to: leaseQueue.channel) { [weak self] in self?.messageReceived($0) }
        }

        /// Asks for the lease again after a message. After a write most waiters read the new record and need no lease. Each
        /// waiter first waits for a random time, so that the others do not all ask for the lease at once, and again each time
        /// one of them has held it.
        private func messageReceived(_ word: RedisLeaseMessage) {
            switch word {
            case .free: tryAcquire()
            case .saved: timer?.start(after: .milliseconds(Int.random(in: 0..<Self.spread)))
            }
        }

        /// Finishes the attempt with the lease. Before that, it writes the record that was saved while the server was away. It
        /// also writes the known record if the server has come back empty.
        private func acquired(_ hold: RedisLeaseHandle) {
            guard leaseQueue.settings.outagePolicy == .useLastRecord,
                let known = leaseQueue.unwritten ?? leaseQueue.known,
                leaseQueue.unwritten != nil || hold.base == nil && known.stored.credential != nil
            else { return finish(.success(hold)) }
            guard known.mayReplace(hold.base) else {
                // Another program has written meanwhile, and its record counts.
                leaseQueue.forgetUnwritten()
                return finish(.success(hold))
            }
            hold.save(known.stored) { result in
                switch result {
                case .success:
                    // The caller has cancelled during the write.
                    guard !self.isOver else { return hold.release() }
                    self.finish(.success(hold))
                case .failure(let error):
                    hold.release()
                    self.finish(.failure(error))
                }
            }
        }

        private func failed(_ failure: RedisFailure) {
            guard !isOver else { return }
            guard failure.isAbsence, leaseQueue.usesLastRecord else {
                return finish(.failure(leaseQueue.error(failure)))
            }
            let known = leaseQueue.unwritten ?? leaseQueue.known
            finish(.success(RedisLeaseHandle(of: leaseQueue, self, owner: nil, milliseconds, record: known?.bytes)))
        }

        private func finish(_ result: Result<RedisLeaseHandle, any Error>) {
            rest()
            let completion = completion
            self.completion = nil
            if case .failure = result { leaseQueue.leave(self) }
            completion?(result)
        }

        private func rest() {
            timer?.close()
            timer = nil
            if isListening { leaseQueue.subscriptions.leave(self, leaseQueue.channel) }
            isListening = false
        }
    }
#endif
