#if Redis
    import FreshetAuth
    import FreshetCore
    import FreshetLoop

    /// The handle of a held lease. While the server is away, there is no lease, and the handle only makes the other attempts of
    /// this store wait.
    // Not sendable: only the loop's thread uses it.
    final class RedisLeaseHandle {
        let leaseQueue: RedisLeaseQueue
        /// The bytes that were at the key when it was last read. A write replaces only these bytes.
        private(set) var base: [UInt8]?
        private let attempt: RedisAttempt
        /// The value of the lease's key that identifies this holder; `nil` while the server is away.
        private let owner: [UInt8]?
        private let milliseconds: [UInt8]
        private var renewal: LoopTimer?
        private var isReleased = false
        private var hasSaved = false

        init(
            of leaseQueue: RedisLeaseQueue, _ attempt: RedisAttempt, owner: [UInt8]?, _ milliseconds: [UInt8],
            record: [UInt8]?
        ) {
            self.leaseQueue = leaseQueue
            self.attempt = attempt
            self.owner = owner
            self.milliseconds = milliseconds
            base = record
            Resources.increment()
            guard owner != nil else { return }
            renewal = LoopTimer(on: leaseQueue.loop) { [weak self] in self?.renew() }
            renewal?.start(after: leaseQueue.settings.lease / 3)
        }

        deinit { Resources.decrement() }

        func load(_ completion: @escaping (Result<StoredCredential, any Error>) -> Void) {
            if let unwritten = leaseQueue.unwritten { return completion(.success(unwritten.stored)) }
            guard !isReleased else { return leaseQueue.load(completion) }
            leaseQueue.read { result in
                if case .success(let known) = result { self.base = known.bytes }
                completion(result.map(\.stored))
            }
        }

        func save(_ record: StoredCredential, _ completion: @escaping (Result<Void, any Error>) -> Void) {
            guard !isReleased else {
                return completion(
                    .failure(StoreError("the lease of the credential store \(leaseQueue.key) was given back")))
            }
            let bytes: [UInt8]
            do {
                bytes = try leaseQueue.encoded(record)
            } catch {
                return completion(.failure(error))
            }
            guard let owner else {
                leaseQueue.keep(record, over: base)
                return completion(.success(()))
            }
            let base = base
            leaseQueue.run(
                .save, keys: [leaseQueue.lockKey, leaseQueue.key], [owner, milliseconds, base ?? [], bytes]
            ) { result in
                switch result {
                case .success(let reply):
                    guard reply.text == "saved" else { return completion(.failure(self.refusal(reply.text))) }
                    self.base = bytes
                    self.hasSaved = true
                    self.leaseQueue.remember(record, as: bytes)
                    completion(.success(()))
                case .failure(let failure) where failure.isAbsence && self.leaseQueue.usesLastRecord:
                    self.leaseQueue.keep(record, over: base, attempted: bytes)
                    completion(.success(()))
                case .failure(let failure):
                    completion(.failure(self.leaseQueue.error(failure)))
                }
            }
        }

        func release() {
            guard !isReleased else { return }
            isReleased = true
            renewal?.close()
            renewal = nil
            // The release goes before `leave`, so that the server gets it before the next attempt of this process.
            let word = hasSaved ? RedisLeaseMessage.saved : .free
            if let owner {
                leaseQueue.run(
                    .release, keys: [leaseQueue.lockKey],
                    [owner, Array(leaseQueue.channel.utf8), Array(word.rawValue.utf8)]
                ) { _ in }
            }
            leaseQueue.leave(attempt)
        }

        private func renew() {
            guard let owner, !isReleased else { return }
            renewal?.start(after: leaseQueue.settings.lease / 3)
            leaseQueue.run(.renew, keys: [leaseQueue.lockKey], [owner, milliseconds]) { [weak self] result in
                // The lease is lost. The next write reports that.
                if case .success(let reply) = result, reply.integer == 0 { self?.renewal?.stop() }
            }
        }

        private func refusal(_ response: String?) -> StoreError {
            let place = "the credential store \(leaseQueue.key)"
            return switch response {
            case "lost":
                StoreError("the lease of \(place) had ended before the write, which was not made; try again")
            case "changed":
                StoreError(
                    "somebody else has written to \(place) in the meantime, so the write was not made; try again")
            default: leaseQueue.error(.senseless)
            }
        }
    }
#endif
