#if Redis
    import FreshetAuth
    import FreshetCore
    import FreshetLoop

    /// One wish for the lease, until it is granted, fails or is given up.
    // Not sendable: the loop's thread alone touches it.
    final class RedisAttempt {
        /// How long to wait at most, if no word comes, before looking again.
        private static let slowPoll = Duration.seconds(1)

        /// In milliseconds; a little more than it takes a gate to look at the store.
        private static let spread = 30

        private let keeper: RedisKeeper
        private let owner =
            Array(String(UInt64.random(in: 0 ... .max), radix: 36).utf8)
            + Array(String(UInt64.random(in: 0 ... .max), radix: 36).utf8)
        private var completion: ((Result<RedisHold, any Error>) -> Void)?
        private var timer: LoopTimer?
        private var isAsking = false
        private var isToAskAgain = false
        private var isListening = false

        init(of keeper: RedisKeeper, _ completion: @escaping (Result<RedisHold, any Error>) -> Void) {
            self.keeper = keeper
            self.completion = completion
            Resources.increment()
        }

        deinit { Resources.decrement() }

        var isOver: Bool { completion == nil }

        func begin() {
            ask()
        }

        func end() {
            if !isOver { finish(.failure(keeper.error(.ended))) }
        }

        func cancel() {
            completion = nil
            rest()
        }

        private var milliseconds: [UInt8] {
            Array("\(max(1, keeper.settings.lease.nanoseconds / 1_000_000))".utf8)
        }

        private func ask() {
            guard !isOver else { return }
            guard !isAsking else {
                isToAskAgain = true
                return
            }
            isAsking = true
            isToAskAgain = false
            timer?.stop()
            let start = keeper.loop.now
            keeper.run(.acquire, keys: [keeper.lockKey, keeper.key], [owner, milliseconds]) { result in
                self.isAsking = false
                switch result {
                case .success(let reply): self.answered(reply.list, start)
                case .failure(let failure): self.failed(failure)
                }
            }
        }

        private func answered(_ reply: [RedisReply], _ start: Instant) {
            if reply.count == 4, reply[0].integer == 1 {
                keeper.note(reply[2...], since: start)
                let hold = RedisHold(of: keeper, self, owner: owner, milliseconds, record: reply[1].bytes)
                // Given up in the meantime.
                guard !isOver else { return hold.release() }
                return settle(hold)
            }
            guard !isOver else { return }
            guard reply.count == 2, let remaining = reply[1].integer else {
                return finish(.failure(keeper.error(.senseless)))
            }
            if isToAskAgain { return ask() }
            wait(for: remaining)
        }

        /// Until the lease is given back, or ends by itself.
        private func wait(for milliseconds: Int) {
            if timer == nil { timer = LoopTimer(on: keeper.loop) { [weak self] in self?.ask() } }
            let end = Duration.milliseconds(milliseconds < 0 ? Int.max >> 22 : milliseconds + 1)
            timer?.start(after: min(end, Self.slowPoll * Double.random(in: 0.75..<1.25)))
            guard !isListening else { return }
            isListening = true
            keeper.subscriptions.listen(self, to: keeper.channel) { [weak self] in self?.heard($0) }
        }

        /// After a write most of those who wait read it and leave. So that not all of them ask for the lease at once, and
        /// again each time one of them has had it, each lets a little time pass.
        private func heard(_ word: RedisWord) {
            switch word {
            case .free: ask()
            case .saved: timer?.start(after: .milliseconds(Int.random(in: 0..<Self.spread)))
            }
        }

        /// Before anything else, what was written while the server was away; also if it has come back empty.
        private func settle(_ hold: RedisHold) {
            guard keeper.settings.whenAway == .goOn, let known = keeper.unwritten ?? keeper.known,
                keeper.unwritten != nil || hold.base == nil && known.stored.credential != nil
            else { return finish(.success(hold)) }
            guard hold.base == nil || hold.base == known.bytes else {
                // Somebody else has written, and that counts.
                keeper.settle()
                return finish(.success(hold))
            }
            hold.save(known.stored) { result in
                switch result {
                case .success: self.finish(.success(hold))
                case .failure(let error):
                    self.finish(.failure(error))
                    hold.release()
                }
            }
        }

        private func failed(_ failure: RedisFailure) {
            guard !isOver else { return }
            guard failure.isAbsence, keeper.goesOn else { return finish(.failure(keeper.error(failure))) }
            let known = keeper.unwritten ?? keeper.known
            finish(.success(RedisHold(of: keeper, self, owner: nil, milliseconds, record: known?.bytes)))
        }

        private func finish(_ result: Result<RedisHold, any Error>) {
            rest()
            let completion = completion
            self.completion = nil
            if case .failure = result { keeper.leave(self) }
            completion?(result)
        }

        private func rest() {
            timer?.close()
            timer = nil
            if isListening { keeper.subscriptions.leave(self, keeper.channel) }
            isListening = false
        }
    }
#endif
