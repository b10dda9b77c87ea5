import FreshetCore
import FreshetHTTP

/// The known addresses of a host name, and the transfers that wait for them.
// Unchecked: only the loop uses it. Commands carry it to the loop.
final class CachedHost: @unchecked Sendable {
    let host: String
    private(set) var addresses: [String] = [] {
        didSet {
            let ofIPv6 = addresses.count { $0.contains(":") }
            hasAlternatives = max(ofIPv6, addresses.count - ofIPv6) > 1
        }
    }
    /// Whether several addresses are of one family. libcurl tries those one after the other.
    private(set) var hasAlternatives = false
    /// The number of times that the addresses have changed; 0 before the first addresses.
    private(set) var generation: UInt32 = 0
    /// When the addresses expire.
    private(set) var due = Instant(sinceStart: .zero)
    private(set) var failure: (reason: String, due: Instant)?
    var lookup: (any Disposable)?
    /// The number of the current lookup. A result with another number is late.
    private(set) var ticket = 0
    private var waiting: [CurlTransfer] = []
    private var waitingCount = 0

    /// - Parameter addresses: addresses that never expire; `nil` for a name that has to be resolved.
    init(_ host: String, fixed addresses: [String]? = nil) {
        self.host = host
        guard let addresses else { return }
        learn(addresses, until: Instant(sinceStart: .never))
        generation = 1
    }

    func learn(_ new: [String], until due: Instant) {
        if new != addresses {
            addresses = new
            generation += 1
        }
        self.due = due
        failure = nil
    }

    func fail(_ reason: String, until due: Instant) {
        failure = (reason, due)
    }

    func append(_ transfer: CurlTransfer) {
        transfer.apply(.waitsForAddresses(self))
        waiting.append(transfer)
        waitingCount += 1
    }

    /// - Returns: whether no transfer waits any more.
    func remove(_ transfer: CurlTransfer) -> Bool {
        transfer.apply(.leftAlone)
        waitingCount -= 1
        return waitingCount == 0
    }

    func beginLookup() -> Int {
        ticket += 1
        return ticket
    }

    /// - Returns: the transfers that still wait, in their order.
    func endLookup() -> [CurlTransfer] {
        ticket += 1
        lookup?.dispose()
        lookup = nil
        defer { (waiting, waitingCount) = ([], 0) }
        return waiting.filter { transfer in
            guard transfer.state.awaited === self else { return false }
            transfer.apply(.leftAlone)
            return true
        }
    }
}
