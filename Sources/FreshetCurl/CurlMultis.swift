import FreshetHTTP

/// The multis of a transport: shards for ordinary transfers, since libcurl walks through all connections of a multi at the
/// end of each, and others for long-lived ones. Those too are no larger than libcurl has places for sockets to be looked
/// up at, about a thousand, and it looks for each connection that it closes among all of its multi.
final class CurlMultis {
    private static let shardLimit = 8
    private static let perShard = 64
    private static let streamsLimit = 32
    private static let perStreams = 2048

    private unowned(unsafe) let pool: CurlPool
    @exclusivity(unchecked) private var shards: [CurlMulti] = []
    @exclusivity(unchecked) private var streams: [CurlMulti] = []

    init(for pool: CurlPool) {
        self.pool = pool
    }

    var all: [CurlMulti] { shards + streams }

    func multi(for transfer: CurlTransfer) -> CurlMulti? {
        if transfer.options.isLongLived {
            if let multi = streams.first(where: { $0.active.count < Self.perStreams }) { return multi }
            if streams.count < Self.streamsLimit, let multi = CurlMulti(for: pool, isForLongLived: true) {
                streams.append(multi)
                return multi
            }
            return streams.min { $0.active.count < $1.active.count }
        }
        // Connections that carry many transfers must be found, so they stay in one place.
        // Held by the transfer.
        let isAnywhere = lent(ifAny: transfer.place) { !$0.multiplexes } ?? true
        if let shard = shards.first(where: { !isAnywhere || $0.active.count < Self.perShard }) { return shard }
        if shards.count < Self.shardLimit, let shard = CurlMulti(for: pool, isForLongLived: false) {
            shards.append(shard)
            return shard
        }
        return shards.min { $0.active.count < $1.active.count }
    }

    func keep(atMost count: Int) {
        for shard in shards { shard.keep(atMost: count) }
    }

    /// Closes the multis that run nothing, and their kept connections with them.
    ///
    /// - Returns: whether there were any.
    func closeIdle() -> Bool {
        let idle = shards.filter { $0.active.isEmpty }
        shards.removeAll { $0.active.isEmpty }
        for shard in idle { shard.close() }
        return !idle.isEmpty
    }

    func close() {
        for multi in all { multi.close() }
        shards = []
        streams = []
    }
}
