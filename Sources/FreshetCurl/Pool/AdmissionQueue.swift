import FreshetHTTP

/// Who may use a connection: first come first served for each origin, and the origins in turn.
///
/// A value of the pool's; it decides, and the pool acts.
struct AdmissionQueue {
    /// What is known of an origin.
    final class OriginPool {
        let origin: Origin
        let heads = HeaderCache()
        fileprivate(set) var running = 0
        fileprivate(set) var waiting = 0
        /// Its connections, kept ones included.
        var open = 0
        /// Those of them that carry nothing.
        var idle = 0
        /// How it is reached, once that was asked.
        var route: Route?
        /// Its root, as libcurl has parsed it with the first request.
        var url: CurlURL?
        /// Whether its connections carry many transfers each, which takes the limit for the origin away.
        var multiplexes = false
        fileprivate var first: CurlTransfer?
        fileprivate var last: CurlTransfer?
        /// The last of those at the head that had a turn and gave it back.
        fileprivate var lastBack: CurlTransfer?
        fileprivate var isInTurn = false

        fileprivate init(_ origin: Origin) {
            self.origin = origin
        }

        fileprivate var isInUse: Bool { running > 0 || open > 0 || first != nil }
    }

    /// A transfer's place in the queue of its origin.
    struct Entry {
        /// Its origin.
        var place: OriginPool?
        fileprivate var previous: CurlTransfer?
        fileprivate var next: CurlTransfer?
    }

    private struct Latest {
        /// Held, or its identity could become another's.
        let url: RequestURL
        let identity: ObjectIdentifier
        let place: OriginPool
    }

    let perOrigin: Int
    let total: Int
    /// Lower than `total` while the process lacks descriptors.
    var limit: Int
    /// How many have ended while the limit was lower.
    private var ended = 0
    private(set) var running = 0 {
        didSet { gauges.running.set(running) }
    }
    private(set) var waiting = 0 {
        didSet { gauges.waiting.set(waiting) }
    }
    private let gauges: Gauges.Queue
    private var places: [Origin: OriginPool] = [:]
    /// Who came last: many requests in a row go to the same address.
    private var latest: Latest?
    private var turns: [OriginPool] = []
    private var nextTurn = 0

    init(perOrigin: Int, total: Int, gauges: Gauges.Queue) {
        self.gauges = gauges
        self.perOrigin = perOrigin
        self.total = total
        limit = total
    }

    mutating func place(for url: RequestURL) -> OriginPool {
        if latest?.identity == url.identity, let place = latest?.place { return place }
        let place = place(for: url.origin)
        latest = Latest(url: url, identity: url.identity, place: place)
        return place
    }

    private mutating func place(for origin: Origin) -> OriginPool {
        if let place = places[origin] { return place }
        if places.count >= 1024 {
            places = places.filter { $0.value.isInUse }
            latest = nil
        }
        let place = OriginPool(origin)
        places[origin] = place
        return place
    }

    /// Counts a transfer as running at once if nobody waits and there is room; else appends it.
    mutating func enter(_ transfer: CurlTransfer) -> Bool {
        let place = transfer.state.entry.place!
        guard waiting == 0, running < limit, hasRoom(place) else {
            append(transfer)
            return false
        }
        place.running += 1
        running += 1
        return true
    }

    private mutating func append(_ transfer: CurlTransfer) {
        let place = transfer.state.entry.place!
        transfer.state.entry.previous = place.last
        place.last?.state.entry.next = transfer
        place.last = transfer
        if place.first == nil { place.first = transfer }
        place.waiting += 1
        waiting += 1
        startTurn(place)
    }

    /// Puts a transfer that gave its turn back before those that had none, and behind those that gave theirs back earlier.
    mutating func putBack(_ transfer: CurlTransfer) {
        let place = transfer.state.entry.place!
        let next = place.lastBack.map(\.state.entry.next) ?? place.first
        transfer.state.entry.previous = place.lastBack
        transfer.state.entry.next = next
        if let previous = place.lastBack { previous.state.entry.next = transfer } else { place.first = transfer }
        if let next { next.state.entry.previous = transfer } else { place.last = transfer }
        place.lastBack = transfer
        place.waiting += 1
        waiting += 1
        startTurn(place)
    }

    mutating func remove(_ transfer: CurlTransfer) {
        let place = transfer.state.entry.place!
        if place.lastBack === transfer { place.lastBack = transfer.state.entry.previous }
        if let previous = transfer.state.entry.previous {
            previous.state.entry.next = transfer.state.entry.next
        } else {
            place.first = transfer.state.entry.next
        }
        if let next = transfer.state.entry.next {
            next.state.entry.previous = transfer.state.entry.previous
        } else {
            place.last = transfer.state.entry.previous
        }
        transfer.state.entry.previous = nil
        transfer.state.entry.next = nil
        place.waiting -= 1
        waiting -= 1
    }

    /// The transfer that may begin now, counted as running.
    mutating func admit() -> CurlTransfer? {
        while running < limit, nextTurn < turns.count {
            let place = turns[nextTurn]
            nextTurn += 1
            if nextTurn == turns.count || (nextTurn > 64 && nextTurn * 2 > turns.count) {
                turns.removeFirst(nextTurn)
                nextTurn = 0
            }
            place.isInTurn = false
            guard let transfer = place.first, hasRoom(place) else { continue }
            remove(transfer)
            place.running += 1
            running += 1
            startTurn(place)
            return transfer
        }
        return nil
    }

    /// A transfer has ended: as many as ran with it may run, and an eighth more now and then.
    ///
    /// - Returns: the limit, if it has grown by that eighth or is the whole again.
    mutating func recover() -> Int? {
        guard limit < total else { return nil }
        ended += 1
        limit = min(total, max(limit, running + 1))
        if ended % 64 == 0 { limit = min(total, limit + max(1, limit / 8)) }
        return ended % 64 == 0 || limit == total ? limit : nil
    }

    /// A transfer that was admitted has no turn any more.
    mutating func leave(_ transfer: CurlTransfer) {
        running -= 1
        let place = transfer.state.entry.place!
        place.running -= 1
        if place.first != nil { startTurn(place) }
    }

    /// Empties the queue.
    mutating func removeAll() -> [CurlTransfer] {
        var all: [CurlTransfer] = []
        for place in places.values {
            while let transfer = place.first {
                remove(transfer)
                all.append(transfer)
            }
        }
        places = [:]
        latest = nil
        turns = []
        nextTurn = 0
        return all
    }

    /// What the origins have here, those apart that have nothing.
    func add(to readings: inout [Origin: ConnectionGauges]) {
        for (origin, place) in places where place.open + place.waiting + place.running > 0 {
            var reading = readings[origin] ?? ConnectionGauges()
            reading.open += place.open
            reading.idle += place.idle
            reading.queued += place.waiting
            reading.running += place.running
            readings[origin] = reading
        }
    }

    private func hasRoom(_ place: OriginPool) -> Bool {
        place.running < (place.multiplexes ? total : perOrigin)
    }

    private mutating func startTurn(_ place: OriginPool) {
        guard !place.isInTurn, place.first != nil, hasRoom(place) else { return }
        place.isInTurn = true
        turns.append(place)
    }
}
