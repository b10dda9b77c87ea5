import FreshetCore
import FreshetHTTP

/// Decides which transfers are admitted. It holds the queues of the waiting transfers, the transfers whose receivers prepare the
/// request, and the number of running transfers.
///
/// The pool holds it as a value, applies inputs to it, and performs the actions that it returns.
struct Admission {
    enum Input {
        case started(CurlTransfer)
        /// The transfer still waits after the admitted ones have begun.
        case waits(CurlTransfer)
        /// The receiver takes time to prepare the request. Until then another transfer can be admitted instead.
        case waitsForReceiver(CurlTransfer)
        case prepared(CurlTransfer)
        /// The request's adapters have changed its origin after the transfer was admitted for another one.
        case moved(CurlTransfer)
        /// The transfer does not run any more.
        case left(CurlTransfer)
        /// The transfer goes back to the queue until another one ends. The limit falls to the number of transfers that run now.
        case returned(CurlTransfer)
        /// The transfer ends before it is admitted.
        case withdrawn(CurlTransfer)
    }

    enum Action {
        case begin(CurlTransfer)
        case launch(CurlTransfer)
        case limitWaiting(CurlTransfer)
        case refuse(CurlTransfer, HTTPClientError)
        case keepConnections(atMost: Int)
        case keepConnectionsInUse
    }

    private let queueLimit: Int
    private(set) var ordinary: AdmissionQueue
    private(set) var longLived: AdmissionQueue
    private var preparing: [ObjectIdentifier: CurlTransfer] = [:]

    init(_ limits: CurlTransport.Configuration.Pool, _ gauges: Gauges) {
        queueLimit = limits.queueLimit
        ordinary = AdmissionQueue(
            perOrigin: max(1, limits.maximumConnectionsPerOrigin), total: max(1, limits.maximumConnections),
            gauges: gauges.ordinary)
        let maximumLongLived = max(1, limits.maximumLongLived)
        longLived = AdmissionQueue(perOrigin: maximumLongLived, total: maximumLongLived, gauges: gauges.longLived)
    }

    mutating func apply(_ input: Input) -> [Action] {
        switch input {
        case .started(let transfer): return enter(transfer) ? [.begin(transfer)] : []
        case .waits(let transfer): return waits(transfer)
        case .waitsForReceiver(let transfer):
            preparing[ObjectIdentifier(transfer)] = transfer
            leave(transfer)
            return []
        case .prepared(let transfer): return prepared(transfer)
        case .moved(let transfer):
            leave(transfer)
            return enter(transfer) ? [.launch(transfer)] : [.limitWaiting(transfer)]
        case .left(let transfer):
            leave(transfer)
            return recovery(after: transfer)
        case .returned(let transfer): return returned(transfer)
        case .withdrawn(let transfer):
            if transfer.state.stage == .preparing {
                preparing[ObjectIdentifier(transfer)] = nil
            } else {
                withQueue(of: transfer) { $0.remove(transfer) }
            }
            return []
        }
    }

    /// Admits the next transfer and counts it as running.
    mutating func next() -> CurlTransfer? {
        if ordinary.waiting == 0, longLived.waiting == 0 { return nil }
        return ordinary.admit() ?? longLived.admit()
    }

    /// The number of running transfers of the same kind, ordinary or long-lived.
    func running(besides transfer: CurlTransfer) -> Int {
        transfer.state.options.isLongLived ? longLived.running : ordinary.running
    }

    /// Removes all transfers that do not run.
    mutating func removeAll() -> [CurlTransfer] {
        defer { preparing = [:] }
        return Array(preparing.values) + ordinary.removeAll() + longLived.removeAll()
    }

    func readings() -> [Origin: ConnectionPoolStatistics] {
        var readings: [Origin: ConnectionPoolStatistics] = [:]
        ordinary.add(to: &readings)
        longLived.add(to: &readings)
        return readings
    }

    /// Counts a transfer as no longer running, without admitting another one.
    mutating func leave(_ transfer: CurlTransfer) { withQueue(of: transfer) { $0.leave(transfer) } }

    /// Records whether the transfer's connection, the latest of its origin, carries many transfers.
    ///
    /// - Returns: whether a transfer that waited for the limit of the origin may begin now.
    mutating func record(multiplexes: Bool, by transfer: CurlTransfer) -> Bool {
        guard let originPool = transfer.state.entry.originPool else { return false }
        return withQueue(of: transfer) { $0.record(multiplexes: multiplexes, of: originPool) }
    }

    // MARK: The transitions

    private mutating func waits(_ transfer: CurlTransfer) -> [Action] {
        // A request that begins at once is checked when it begins.
        if let refusal = transfer.original.refusal(transfer.state.options) { return refuse(transfer, refusal) }
        if withQueue(of: transfer, { $0.waiting }) > queueLimit {
            return refuse(
                transfer,
                transfer.state.error(.overloaded, "the queue is full; its limit is \(queueLimit)", .sendFewerAtOnce))
        }
        return [.limitWaiting(transfer)]
    }

    private mutating func refuse(_ transfer: CurlTransfer, _ error: HTTPClientError) -> [Action] {
        withQueue(of: transfer) { $0.remove(transfer) }
        return [.refuse(transfer, error)]
    }

    /// - Returns: whether the transfer may begin at once; otherwise it waits.
    private mutating func enter(_ transfer: CurlTransfer) -> Bool {
        withQueue(of: transfer) { queue in
            transfer.state.entry.originPool = queue.originPool(for: transfer.state.request.url)
            return queue.enter(transfer)
        }
    }

    private mutating func prepared(_ transfer: CurlTransfer) -> [Action] {
        preparing[ObjectIdentifier(transfer)] = nil
        withQueue(of: transfer) { queue in
            // Meanwhile the request may have another origin, and the queue may have dropped the pool.
            transfer.state.entry.originPool = queue.originPool(for: transfer.state.request.url)
            queue.putBack(transfer)
        }
        return []
    }

    private mutating func returned(_ transfer: CurlTransfer) -> [Action] {
        let others = running(besides: transfer)
        withQueue(of: transfer) { queue in
            if others > 0 { queue.limit = others }
            queue.putBack(transfer)
        }
        return transfer.state.options.isLongLived ? [] : [.keepConnectionsInUse]
    }

    private mutating func recovery(after transfer: CurlTransfer) -> [Action] {
        guard let limit = withQueue(of: transfer, { $0.recover() }), !transfer.state.options.isLongLived else {
            return []
        }
        return [.keepConnections(atMost: limit)]
    }

    @discardableResult
    private mutating func withQueue<Result>(
        of transfer: CurlTransfer, _ body: (inout AdmissionQueue) -> Result
    ) -> Result {
        transfer.state.options.isLongLived ? body(&longLived) : body(&ordinary)
    }
}
