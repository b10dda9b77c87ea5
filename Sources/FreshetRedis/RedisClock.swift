#if Redis
    import FreshetCore

    /// How far the Redis server's clock is ahead of this machine's.
    struct RedisClock {
        /// In seconds.
        private(set) var offset = 0.0

        /// Clocks that differ by less are taken for the same, so that what was saved is read as it was.
        static let tolerance = 1.0

        /// - Parameters:
        ///   - seconds: the server's time, somewhere in the midst of the round trip.
        ///   - now: this machine's wall clock at its end.
        mutating func record(_ seconds: Double, now: Double, roundTrip: Duration) {
            let half = roundTrip / .seconds(1) / 2
            let offset = seconds - (now - half)
            self.offset = abs(offset) <= Self.tolerance + half ? 0 : offset
        }

        /// Of the server's two numbers, its seconds and microseconds.
        mutating func record(_ reply: ArraySlice<RedisReply>, now: Double, roundTrip: Duration) {
            let numbers = reply.compactMap(\.integer)
            guard numbers.count == 2 else { return }
            record(Double(numbers[0]) + Double(numbers[1]) / 1e6, now: now, roundTrip: roundTrip)
        }
    }
#endif
