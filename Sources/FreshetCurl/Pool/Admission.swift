import FreshetCore
import FreshetHTTP

/// Which transfers have their turn: those that wait in the queues, those whose receivers make the request final, and how many
/// run.
///
/// A value of the pool's: the pool applies inputs to it, and performs what it returns.
struct Admission {
    enum Input {
        case started(CurlTransfer)
        /// It still waits after those have begun whose turn had come.
        case waits(CurlTransfer)
        /// Its receiver has to be waited for; its turn is for others until then.
        case waitsForReceiver(CurlTransfer)
        case prepared(CurlTransfer)
        /// Its adapters have sent it to another origin than the one that it has its turn for.
        case moved(CurlTransfer)
        /// It does not run any more.
        case left(CurlTransfer)
        /// After that it waits for one of those that run, of which there are to be no more than now.
        case returned(CurlTransfer)
        /// It leaves before its turn has come.
        case withdrawn(CurlTransfer)
    }

    enum Action {
        case begin(CurlTransfer)
        case launch(CurlTransfer)
        case limitWaiting(CurlTransfer)
        case refuse(CurlTransfer, HTTPClientError)
        case keepConnections(atMost: Int)
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
        longLived = AdmissionQueue(
            perOrigin: limits.maximumLongLived, total: limits.maximumLongLived, gauges: gauges.longLived)
    }

    mutating func apply(_ input: Input) -> [Action] {
        switch input {
        case .started(let transfer):
            transfer.apply(.queued)
            return enter(transfer) ? [.begin(transfer)] : []
        case .waits(let transfer): return waits(transfer)
        case .waitsForReceiver(let transfer):
            preparing[ObjectIdentifier(transfer)] = transfer
            withQueue(of: transfer) { $0.leave(transfer) }
            return []
        case .prepared(let transfer): return prepared(transfer)
        case .moved(let transfer):
            withQueue(of: transfer) { $0.leave(transfer) }
            return enter(transfer) ? [.launch(transfer)] : [.limitWaiting(transfer)]
        case .left(let transfer):
            withQueue(of: transfer) { $0.leave(transfer) }
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

    /// The next transfer that may begin, counted as running.
    mutating func next() -> CurlTransfer? {
        if ordinary.waiting == 0, longLived.waiting == 0 { return nil }
        return ordinary.admit() ?? longLived.admit()
    }

    /// How many of its kind run.
    func running(besides transfer: CurlTransfer) -> Int {
        transfer.state.options.isLongLived ? longLived.running : ordinary.running
    }

    /// Lets go of all that do not run.
    mutating func removeAll() -> [CurlTransfer] {
        defer { preparing = [:] }
        return Array(preparing.values) + ordinary.removeAll() + longLived.removeAll()
    }

    func readings() -> [Origin: ConnectionGauges] {
        var readings: [Origin: ConnectionGauges] = [:]
        ordinary.add(to: &readings)
        longLived.add(to: &readings)
        return readings
    }

    /// A transfer does not run any more, and nobody takes its turn.
    mutating func leave(_ transfer: CurlTransfer) { withQueue(of: transfer) { $0.leave(transfer) } }

    // MARK: The transitions

    private mutating func waits(_ transfer: CurlTransfer) -> [Action] {
        // One that begins at once is looked at then, as it goes out.
        if let refusal = transfer.original.refusal(transfer.state.options) { return refuse(transfer, refusal) }
        if withQueue(of: transfer, { $0.waiting }) > queueLimit {
            return refuse(
                transfer,
                transfer.state.error(.overloaded, "\(queueLimit) requests wait already", .sendFewerAtOnce))
        }
        return [.limitWaiting(transfer)]
    }

    private mutating func refuse(_ transfer: CurlTransfer, _ error: HTTPClientError) -> [Action] {
        withQueue(of: transfer) { $0.remove(transfer) }
        return [.refuse(transfer, error)]
    }

    /// - Returns: whether it may begin at once; else it waits.
    private mutating func enter(_ transfer: CurlTransfer) -> Bool {
        withQueue(of: transfer) { queue in
            transfer.state.entry.place = queue.place(for: transfer.state.request.url)
            return queue.enter(transfer)
        }
    }

    private mutating func prepared(_ transfer: CurlTransfer) -> [Action] {
        preparing[ObjectIdentifier(transfer)] = nil
        let isMisplaced = transfer.isMisplaced
        withQueue(of: transfer) { queue in
            if isMisplaced { transfer.state.entry.place = queue.place(for: transfer.state.request.url) }
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
        return transfer.state.options.isLongLived ? [] : [.keepConnections(atMost: max(1, others))]
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
