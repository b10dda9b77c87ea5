#if Redis
    import FreshetCore

    /// How far the Redis server's clock is ahead of this machine's.
    struct RedisClock {
        /// In seconds.
        private(set) var offset = 0.0

        /// A difference of at most this many seconds, plus half of the round trip, counts as none, and so does such a change of the
        /// difference. So a saved time is read back unchanged, and each read of a record returns the same times.
        static let tolerance = 1.0

        /// - Parameters:
        ///   - seconds: the server's time in seconds since 1970, which counts as that of the middle of the round trip.
        ///   - now: this machine's wall clock at the end of the round trip, in seconds since 1970.
        mutating func record(_ seconds: Double, now: Double, roundTrip: Duration) {
            let half = roundTrip / .seconds(1) / 2
            let measured = seconds - (now - half)
            let tolerance = Self.tolerance + half
            guard abs(measured - offset) > tolerance else { return }
            offset = abs(measured) <= tolerance ? 0 : measured
        }

        /// Records the server's two numbers, its seconds and microseconds. Ignores a reply that does not have exactly two.
        mutating func record(_ reply: ArraySlice<RedisReply>, now: Double, roundTrip: Duration) {
            let numbers = reply.compactMap(\.integer)
            guard numbers.count == 2 else { return }
            record(Double(numbers[0]) + Double(numbers[1]) / 1e6, now: now, roundTrip: roundTrip)
        }
    }
#endif
