import FreshetHTTP

/// The transfers, the connections and the route of an origin.
///
/// The transfers that wait form a linked list, so that each can leave it in constant time. The ``AdmissionQueue``
/// counts those that run.
final class OriginPool {
    /// A transfer's place in the list of its origin.
    struct Entry {
        var originPool: OriginPool?
        fileprivate var previous: CurlTransfer?
        fileprivate var next: CurlTransfer?
    }

    let origin: Origin
    let heads = HeaderCache()
    var running = 0
    private(set) var waiting = 0
    /// The connections of the origin, including those that are kept.
    var open = 0
    /// The connections that carry no transfer.
    var idle = 0
    /// How the origin is reached; `nil` before its first request.
    var route: Route?
    /// The root URL of the origin, which libcurl parses for the first request; `nil` if libcurl does not understand it.
    private(set) lazy var url = CurlURL(origin)
    /// Whether the latest connection carries many transfers, so that more of them may run. The origin can also have
    /// connections of the other kind.
    var multiplexes = false
    /// Whether the queue will admit a transfer of this origin in its turn.
    var isInTurn = false
    /// The first transfer that waits.
    private(set) var first: CurlTransfer?
    private var last: CurlTransfer?
    /// The last transfer at the head of the list that was admitted and put back.
    private var lastBack: CurlTransfer?

    init(_ origin: Origin) {
        self.origin = origin
    }

    var isInUse: Bool { running > 0 || open > 0 || first != nil }

    func append(_ transfer: CurlTransfer) { insert(transfer, behind: last) }

    /// Puts an admitted transfer back: before those that were not admitted yet, and behind those that were put back
    /// earlier.
    func putBack(_ transfer: CurlTransfer) {
        insert(transfer, behind: lastBack)
        lastBack = transfer
    }

    private func insert(_ transfer: CurlTransfer, behind previous: CurlTransfer?) {
        let next = previous.map(\.state.entry.next) ?? first
        transfer.state.entry.previous = previous
        transfer.state.entry.next = next
        if let previous { previous.state.entry.next = transfer } else { first = transfer }
        if let next { next.state.entry.previous = transfer } else { last = transfer }
        waiting += 1
    }

    func remove(_ transfer: CurlTransfer) {
        let (previous, next) = (transfer.state.entry.previous, transfer.state.entry.next)
        if lastBack === transfer { lastBack = previous }
        if let previous { previous.state.entry.next = next } else { first = next }
        if let next { next.state.entry.previous = previous } else { last = previous }
        transfer.state.entry.previous = nil
        transfer.state.entry.next = nil
        waiting -= 1
    }
}
