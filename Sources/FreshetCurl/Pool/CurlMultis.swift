import FreshetHTTP

/// The multis of a transport: shards for ordinary transfers, since libcurl walks through all connections of a multi at the
/// end of each, and others for long-lived ones. Those too are no larger than libcurl has places for sockets to be looked
/// up at, about a thousand, and it looks for each connection that it closes among all of its multi.
final class CurlMultis {
    private static let shardLimit = 8
    /// Half as many on twice as many handles cost libcurl less to walk through, and more where 512 share the caches.
    private static let perShard = 64
    private static let streamsLimit = 32
    private static let perStreams = 2048

    private unowned let pool: CurlPool
    private var shards: [CurlMulti] = []
    private var streams: [CurlMulti] = []

    init(for pool: CurlPool) {
        self.pool = pool
    }

    var all: [CurlMulti] { shards + streams }

    func multi(for transfer: CurlTransfer) -> CurlMulti? {
        if transfer.state.options.isLongLived {
            if let multi = streams.first(where: { $0.count < Self.perStreams }) { return multi }
            if streams.count < Self.streamsLimit, let multi = CurlMulti(for: pool, isForLongLived: true) {
                streams.append(multi)
                return streams.last
            }
            return streams.min { $0.count < $1.count }
        }
        // Connections that carry many transfers must be found, so they stay in one place.
        let isAnywhere = !transfer.state.sharesConnection
        if let shard = shards.first(where: { !isAnywhere || $0.count < Self.perShard }) { return shard }
        if shards.count < Self.shardLimit, let shard = CurlMulti(for: pool, isForLongLived: false) {
            shards.append(shard)
            return shards.last
        }
        return shards.min { $0.count < $1.count }
    }

    func keep(atMost count: Int) {
        for shard in shards { shard.keep(atMost: count) }
    }

    /// Closes the multis that run nothing, and their kept connections with them.
    ///
    /// - Returns: whether there were any.
    func closeIdle() -> Bool {
        let idle = shards.filter { $0.count == 0 }
        shards.removeAll { $0.count == 0 }
        for shard in idle { shard.close() }
        return !idle.isEmpty
    }

    func close() {
        let all = shards + streams
        shards = []
        streams = []
        for multi in all { multi.close() }
    }
}

extension CurlMulti {
    /// How many transfers it runs.
    fileprivate var count: Int { state.handles.active.count }
}
