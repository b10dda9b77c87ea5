#if Redis
    /// What Redis does in one step. Each may run twice with the same arguments and comes to the same: an answer may get lost.
    ///
    /// They are sent as text each time: a script that is named by its hash has to be sent again after a restart, and in between
    /// others would overtake it.
    enum RedisScript: String {
        /// Takes the lease if it is free. Keys: lease, record. Arguments: owner, milliseconds.
        /// The record is read first, as a key that holds something else fails there, and nothing is taken back.
        case acquire = """
            local record = redis.call('get', KEYS[2])
            local owner = redis.call('get', KEYS[1])
            if owner and owner ~= ARGV[1] then
                return {0, redis.call('pttl', KEYS[1])}
            end
            redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
            local now = redis.call('time')
            return {1, record, now[1], now[2]}
            """

        /// Keys: lease. Arguments: owner, milliseconds.
        case renew = """
            if redis.call('get', KEYS[1]) ~= ARGV[1] then
                return 0
            end
            return redis.call('pexpire', KEYS[1], ARGV[2])
            """

        /// The fence: writes only what was made of the record that is there still, and only for the owner of the lease.
        /// Keys: lease, record. Arguments: owner, milliseconds, the record as it was read, the new one.
        case save = """
            local record = redis.call('get', KEYS[2])
            if record == ARGV[4] then
                return 'saved'
            end
            if redis.call('get', KEYS[1]) ~= ARGV[1] then
                return 'lost'
            end
            if (record or '') ~= ARGV[3] then
                return 'changed'
            end
            redis.call('set', KEYS[2], ARGV[4])
            redis.call('pexpire', KEYS[1], ARGV[2])
            return 'saved'
            """

        /// Gives the lease back and tells those who wait. Keys: lease. Arguments: owner, channel, word.
        case release = """
            if redis.call('get', KEYS[1]) ~= ARGV[1] then
                return 0
            end
            redis.call('del', KEYS[1])
            redis.call('publish', ARGV[2], ARGV[3])
            return 1
            """

        func command(keys: [String], _ arguments: [[UInt8]]) -> [[UInt8]] {
            (["EVAL", rawValue, "\(keys.count)"] + keys).map { Array($0.utf8) } + arguments
        }
    }
#endif
