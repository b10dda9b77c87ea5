import FreshetHTTP

/// Decides which transfer may use a connection: first come, first served within an origin, and the origins in turn.
///
/// The pool holds it as a value and performs what it decides.
struct AdmissionQueue {
    private struct Latest {
        /// Retained, so that no other URL can get its identity.
        let url: RequestURL
        let identity: ObjectIdentifier
        let originPool: OriginPool
    }

    private static let capacity = 1024

    let perOrigin: Int
    let total: Int
    /// The number of transfers that may run. It is lower than `total` while the process lacks descriptors.
    var limit: Int
    /// The number of transfers that have ended while the limit was lower.
    private var ended = 0
    private(set) var running = 0 {
        didSet { gauges.running.set(running) }
    }
    private(set) var waiting = 0 {
        didSet { gauges.waiting.set(waiting) }
    }
    private let gauges: Gauges.Queue
    private var originPools: [Origin: OriginPool] = [:]
    /// The number of origins at which those that are not in use are dropped.
    private var nextSweep = Self.capacity
    /// The pool of the latest URL, because many requests in a row go to the same one.
    private var latest: Latest?
    private var turns: [OriginPool] = []
    private var nextTurn = 0

    init(perOrigin: Int, total: Int, gauges: Gauges.Queue) {
        self.gauges = gauges
        self.perOrigin = perOrigin
        self.total = total
        limit = total
    }

    mutating func originPool(for url: RequestURL) -> OriginPool {
        if latest?.identity == url.identity, let originPool = latest?.originPool { return originPool }
        let originPool = originPool(for: url.origin)
        latest = Latest(url: url, identity: url.identity, originPool: originPool)
        return originPool
    }

    private mutating func originPool(for origin: Origin) -> OriginPool {
        if let originPool = originPools[origin] { return originPool }
        if originPools.count >= nextSweep {
            originPools = originPools.filter { $0.value.isInUse }
            latest = nil
            nextSweep = max(Self.capacity, originPools.count * 2)
        }
        let originPool = OriginPool(origin)
        originPools[origin] = originPool
        return originPool
    }

    /// Counts a transfer as running if no other one waits and there is room. Otherwise, appends it.
    ///
    /// - Returns: whether the transfer may begin.
    mutating func enter(_ transfer: CurlTransfer) -> Bool {
        let originPool = transfer.state.entry.originPool!
        guard waiting == 0, running < limit, hasRoom(originPool) else {
            originPool.append(transfer)
            waiting += 1
            startTurn(originPool)
            return false
        }
        originPool.running += 1
        running += 1
        return true
    }

    /// Puts an admitted transfer back into the queue: before those that were not admitted yet, and behind those that were
    /// put back earlier.
    mutating func putBack(_ transfer: CurlTransfer) {
        let originPool = transfer.state.entry.originPool!
        originPool.putBack(transfer)
        waiting += 1
        startTurn(originPool)
    }

    mutating func remove(_ transfer: CurlTransfer) {
        transfer.state.entry.originPool!.remove(transfer)
        waiting -= 1
    }

    /// Admits the next transfer and counts it as running.
    mutating func admit() -> CurlTransfer? {
        while running < limit, nextTurn < turns.count {
            let originPool = turns[nextTurn]
            nextTurn += 1
            if nextTurn == turns.count || (nextTurn > 64 && nextTurn * 2 > turns.count) {
                turns.removeFirst(nextTurn)
                nextTurn = 0
            }
            originPool.isInTurn = false
            guard let transfer = originPool.first, hasRoom(originPool) else { continue }
            remove(transfer)
            originPool.running += 1
            running += 1
            startTurn(originPool)
            return transfer
        }
        return nil
    }

    /// Records whether the latest connection of the origin carries many transfers.
    ///
    /// - Returns: whether a transfer that waited for the limit of the origin may begin now.
    mutating func record(multiplexes: Bool, of originPool: OriginPool) -> Bool {
        guard originPool.multiplexes != multiplexes else { return false }
        originPool.multiplexes = multiplexes
        startTurn(originPool)
        return originPool.isInTurn
    }

    /// Raises a lowered limit after a transfer has ended: to the number of transfers that ran before that end, and by an eighth
    /// after every 64 ends.
    ///
    /// - Returns: the limit, if it has grown by that eighth or is `total` again.
    mutating func recover() -> Int? {
        guard limit < total else { return nil }
        ended += 1
        limit = min(total, max(limit, running + 1))
        if ended % 64 == 0 { limit = min(total, limit + max(1, limit / 8)) }
        return ended % 64 == 0 || limit == total ? limit : nil
    }

    /// Counts an admitted transfer as no longer running.
    mutating func leave(_ transfer: CurlTransfer) {
        running -= 1
        let originPool = transfer.state.entry.originPool!
        originPool.running -= 1
        if originPool.first != nil { startTurn(originPool) }
    }

    /// Empties the queue.
    mutating func removeAll() -> [CurlTransfer] {
        var all: [CurlTransfer] = []
        for originPool in originPools.values {
            while let transfer = originPool.first {
                remove(transfer)
                all.append(transfer)
            }
        }
        originPools = [:]
        latest = nil
        turns = []
        nextTurn = 0
        return all
    }

    /// Adds the gauges of all origins that have connections or transfers in this queue.
    func add(to readings: inout [Origin: ConnectionPoolStatistics]) {
        for (origin, originPool) in originPools where originPool.open + originPool.waiting + originPool.running > 0 {
            var reading = readings[origin] ?? ConnectionPoolStatistics()
            reading.open += originPool.open
            reading.idle += originPool.idle
            reading.queued += originPool.waiting
            reading.running += originPool.running
            readings[origin] = reading
        }
    }

    /// The number of requests that nearly all servers accept on one connection at once. For each further one, libcurl opens a
    /// connection. Source: RFC 9113 section 6.5.2.
    private static let usualStreams = 100

    private func hasRoom(_ originPool: OriginPool) -> Bool {
        originPool.running < (originPool.multiplexes ? max(perOrigin, Self.usualStreams) : perOrigin)
    }

    private mutating func startTurn(_ originPool: OriginPool) {
        guard !originPool.isInTurn, originPool.first != nil, hasRoom(originPool) else { return }
        originPool.isInTurn = true
        turns.append(originPool)
    }
}
