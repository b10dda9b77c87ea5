import FreshetHTTP

/// Who may use a connection: first come first served for each origin, and the origins in turn.
///
/// A value of the pool's; it decides, and the pool acts.
struct AdmissionQueue {
    /// What is known of an origin.
    final class Place {
        let origin: Origin
        fileprivate(set) var running = 0
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
    }

    let perOrigin: Int
    let total: Int
    /// Lower than `total` while the process lacks descriptors.
    var limit: Int
    /// How many have ended since the limit was lowered.
    var ended = 0
    private(set) var running = 0
    private(set) var waiting = 0
    private var places: [Origin: Place] = [:]
    private var turns: [Place] = []
    private var nextTurn = 0

    init(perOrigin: Int, total: Int) {
        self.perOrigin = perOrigin
        self.total = total
        limit = total
    }

    mutating func place(for origin: Origin) -> Place {
        if let place = places[origin] { return place }
        if places.count >= 1024 { places = places.filter { $0.value.running > 0 || $0.value.first != nil } }
        let place = Place(origin)
        places[origin] = place
        return place
    }

    mutating func append(_ transfer: CurlTransfer) {
        let place = transfer.place!
        transfer.previous = place.last
        place.last?.next = transfer
        place.last = transfer
        if place.first == nil { place.first = transfer }
        waiting += 1
        takeTurn(place)
    }

    /// Puts a transfer that gave its turn back before those that had none, and behind those that gave theirs back earlier.
    mutating func putBack(_ transfer: CurlTransfer) {
        let place = transfer.place!
        let next = place.lastBack.map(\.next) ?? place.first
        transfer.previous = place.lastBack
        transfer.next = next
        if let previous = place.lastBack { previous.next = transfer } else { place.first = transfer }
        if let next { next.previous = transfer } else { place.last = transfer }
        place.lastBack = transfer
        waiting += 1
        takeTurn(place)
    }

    mutating func remove(_ transfer: CurlTransfer) {
        let place = transfer.place!
        if place.lastBack === transfer { place.lastBack = transfer.previous }
        if let previous = transfer.previous { previous.next = transfer.next } else { place.first = transfer.next }
        if let next = transfer.next { next.previous = transfer.previous } else { place.last = transfer.previous }
        transfer.previous = nil
        transfer.next = nil
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
            takeTurn(place)
            return transfer
        }
        return nil
    }

    /// A transfer that was admitted has ended.
    mutating func leave(_ transfer: CurlTransfer) {
        let place = transfer.place!
        place.running -= 1
        running -= 1
        takeTurn(place)
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
        turns = []
        nextTurn = 0
        return all
    }

    private func hasRoom(_ place: Place) -> Bool {
        place.running < (place.multiplexes ? total : perOrigin)
    }

    private mutating func takeTurn(_ place: Place) {
        guard !place.isInTurn, place.first != nil, hasRoom(place) else { return }
        place.isInTurn = true
        turns.append(place)
    }
}
