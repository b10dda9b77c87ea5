#if Redis
    /// The scripts that Redis runs in one step. A script that runs twice with the same arguments has the same result. This is
    /// needed because the channel sends a command again if its reply was lost.
    ///
    /// Each command contains the script's text. A script named by its hash would have to be sent again after a restart of the
    /// server, and other commands would overtake it meanwhile.
    enum RedisScript: String {
        /// Acquires the lease if it is free. Keys: lease, record. Arguments: owner, milliseconds. The script reads the record
        /// first: if the key holds another type, it fails there and has changed nothing.
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

        /// Extends the lease. Keys: lease. Arguments: owner, milliseconds.
        case renew = """
            if redis.call('get', KEYS[1]) ~= ARGV[1] then
                return 0
            end
            return redis.call('pexpire', KEYS[1], ARGV[2])
            """

        /// Writes the record only for the owner of the lease, and only if the key still holds the record that was read
        /// (fencing). Keys: lease, record. Arguments: owner, milliseconds, the record as it was read, the new one.
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

        /// Releases the lease, and publishes a message to the waiters. Keys: lease. Arguments: owner, channel, message.
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
