import FreshetHTTP

/// The multis of a transport: shards for ordinary transfers, and others for long-lived ones.
///
/// libcurl walks through all connections of a multi at the end of each transfer, so ordinary transfers are divided among
/// shards. The multis for long-lived transfers are limited too. libcurl looks sockets up in a table of about a thousand
/// places, and it searches all connections of a multi for each connection that it closes.
final class CurlMultis {
    private static let shardLimit = 8
    /// With half as many transfers per shard and twice as many shards, libcurl's walks are cheaper, but 512 transfers
    /// together use the processor's caches worse.
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
        // A connection that carries many transfers must be found, so these transfers stay in the first shard.
        let isAnywhere = transfer.state.entry.originPool?.multiplexes != true
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

    /// Limits the kept connections of each shard to those in use, so that the next transfers that end free descriptors.
    func keepThoseInUse() {
        for shard in shards { shard.keep(atMost: max(1, shard.count)) }
    }

    /// Closes the shards that run no transfer, with their kept connections.
    ///
    /// - Returns: whether that has freed more descriptors than the next shard needs for itself.
    func closeIdle() -> Bool {
        let idle = shards.filter { $0.count == 0 }
        shards.removeAll { $0.count == 0 }
        defer { for shard in idle { shard.close() } }
        return idle.count > 1 || idle.contains { $0.reaper.kept > 0 }
    }

    func close() {
        let all = shards + streams
        shards = []
        streams = []
        for multi in all { multi.close() }
    }
}

extension CurlMulti {
    /// The number of transfers that the multi runs.
    fileprivate var count: Int { state.handles.active.count }
}
