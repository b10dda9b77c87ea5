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

    private unowned(unsafe) let pool: CurlPool
    // Each is held by its place here, without being counted at each look, until it is closed.
    @exclusivity(unchecked) private var shards: [Unmanaged<CurlMulti>] = []
    @exclusivity(unchecked) private var streams: [Unmanaged<CurlMulti>] = []

    init(for pool: CurlPool) {
        self.pool = pool
    }

    var all: [CurlMulti] { (shards + streams).map { $0.takeUnretainedValue() } }

    func multi(for transfer: CurlTransfer) -> Unmanaged<CurlMulti>? {
        if transfer.options.isLongLived {
            if let multi = streams.first(where: { $0.count < Self.perStreams }) { return multi }
            if streams.count < Self.streamsLimit, let multi = CurlMulti(for: pool, isForLongLived: true) {
                streams.append(.passRetained(multi))
                return streams.last
            }
            return streams.min { $0.count < $1.count }
        }
        // Connections that carry many transfers must be found, so they stay in one place.
        // Held by the transfer.
        let isAnywhere = lent(ifAny: transfer.place) { !$0.multiplexes } ?? true
        if let shard = shards.first(where: { !isAnywhere || $0.count < Self.perShard }) { return shard }
        if shards.count < Self.shardLimit, let shard = CurlMulti(for: pool, isForLongLived: false) {
            shards.append(.passRetained(shard))
            return shards.last
        }
        return shards.min { $0.count < $1.count }
    }

    func keep(atMost count: Int) {
        for shard in shards { shard.takeUnretainedValue().keep(atMost: count) }
    }

    /// Closes the multis that run nothing, and their kept connections with them.
    ///
    /// - Returns: whether there were any.
    func closeIdle() -> Bool {
        let idle = shards.filter { $0.count == 0 }
        shards.removeAll { $0.count == 0 }
        for shard in idle { shard.takeRetainedValue().close() }
        return !idle.isEmpty
    }

    func close() {
        let all = shards + streams
        shards = []
        streams = []
        for multi in all { multi.takeRetainedValue().close() }
    }
}

extension Unmanaged<CurlMulti> {
    /// How many transfers it runs.
    fileprivate var count: Int { _withUnsafeGuaranteedRef { $0.active.count } }
}
