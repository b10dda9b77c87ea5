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

    /// - Returns: the multi that serves the transfer; `nil` if there is no memory for one.
    func multi(for transfer: CurlTransfer) -> CurlMulti? {
        if transfer.state.options.isLongLived {
            return multi(in: &streams, atMost: Self.streamsLimit, serving: Self.perStreams, isForLongLived: true)
        }
        // A connection that carries many transfers must be found, so these transfers stay in the first shard.
        let isAnywhere = transfer.state.entry.originPool?.multiplexes != true
        return multi(
            in: &shards, atMost: Self.shardLimit, serving: isAnywhere ? Self.perShard : .max, isForLongLived: false)
    }

    /// Returns the first multi with room. If there is none, adds another, or at the limit returns the one with the fewest
    /// transfers.
    private func multi(
        in multis: inout [CurlMulti], atMost limit: Int, serving capacity: Int, isForLongLived: Bool
    ) -> CurlMulti? {
        if let multi = multis.first(where: { $0.count < capacity }) { return multi }
        guard multis.count < limit, let multi = CurlMulti(for: pool, isForLongLived: isForLongLived) else {
            return multis.min { $0.count < $1.count }
        }
        multis.append(multi)
        return multi
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
