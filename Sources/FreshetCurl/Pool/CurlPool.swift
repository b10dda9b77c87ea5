import CFreshetCurl
import FreshetCore
import FreshetHTTP
import FreshetLoop

/// The transport's part on the loop: who may begin, on which multi, and what becomes of the end.
// Unchecked: all but `submit` and `shutdown` is the loop's.
final class CurlPool: @unchecked Sendable {
    let loop: Loop
    let configuration: CurlTransport.Configuration
    var ordinary: AdmissionQueue
    private(set) var longLived: AdmissionQueue
    let gauges = Gauges()
    var multis: CurlMultis!
    var book: AddressBook
    let proxies: ProxyChoice
    let tls: TLSMaterial
    private var commands: [Command] = []
    /// The multis that libcurl wants to act on at once.
    private var due: [CurlMulti] = []
    private var acting: [CurlMulti] = []
    private var afterSockets: LoopAfterSockets?
    /// Above zero, libcurl must not be called: one of its callbacks is running, or the ends are being sorted out.
    private var depth = 0
    /// Those whose adapters wait for something.
    var preparing: [ObjectIdentifier: CurlTransfer] = [:]
    private var isClosed = false
    private var ending: UInt64?

    init(on loop: Loop, configuration: CurlTransport.Configuration) {
        self.loop = loop
        self.configuration = configuration
        book = AddressBook(configuration.addresses)
        proxies = ProxyChoice(configuration.proxy, environment: CurlTransport.environment)
        tls = TLSMaterial(configuration.tls)
        let limits = configuration.pool
        ordinary = AdmissionQueue(
            perOrigin: max(1, limits.maximumConnectionsPerOrigin), total: max(1, limits.maximumConnections),
            gauges: gauges.ordinary)
        longLived = AdmissionQueue(
            perOrigin: limits.maximumLongLived, total: limits.maximumLongLived, gauges: gauges.longLived)
    }

    // MARK: Any thread

    func submit(_ command: Command) {
        if loop.isCurrent { return take(command) }
        guard case .start(let transfer) = command else { return _ = loop.execute { self.take(command) } }
        if !loop.execute(transfer) { transfer.finish(Self.cancellation(of: transfer)) }
    }

    /// A transfer that was begun elsewhere has come to the loop.
    func arrived(_ transfer: CurlTransfer) {
        take(.start(transfer))
    }

    func shutdown() {
        _ = loop.executeAndWait { self.take(.shutdown) }
    }

    // MARK: Commands

    private func take(_ command: Command) {
        commands.append(command)
        runCommands()
    }

    func inCurl<Result>(_ body: () -> Result) -> Result {
        depth += 1
        defer { depth -= 1 }
        return body()
    }

    func runCommands() {
        guard depth == 0 else { return }
        depth += 1
        var next = 0
        while next < commands.count {
            next += 1
            switch commands[next - 1].take() {
            case .start(let transfer): start(transfer)
            case .prepared(let transfer, let result): prepared(transfer, result)
            case .resolved(let name, let result, let ticket): resolved(name, result, ticket)
            case .cancel(let transfer): cancel(transfer)
            case .resume(let transfer): resume(transfer)
            case .sendOn(let transfer): sendOn(transfer)
            case .answers(let transfer): beginsToStream(transfer)
            case .hasCome(let transfer): endIfWhole(transfer)
            case .shutdown: close()
            case .none: break
            }
        }
        if next == 1 {
            commands.removeLast()
        } else if next > 0 {
            commands.removeAll(keepingCapacity: next < 1024)
        }
        depth -= 1
    }

    func isDue(_ multi: CurlMulti) {
        due.append(multi)
        afterSockets?.ask()
    }

    /// Lets libcurl do what it wants to do at once, in this turn of the loop: a timer would cost one more, and up to a
    /// millisecond. All that the turn has brought goes out together. What comes of it waits for the next turn: a fast
    /// server would else keep one connection at work for ever, and all others waiting.
    private func actOnDue() {
        swap(&due, &acting)
        for multi in acting { multi.endTurn() }
        acting.removeAll(keepingCapacity: true)
    }

    private func start(_ transfer: CurlTransfer) {
        guard transfer.state == .new, !transfer.isDisposed else { return }
        guard !isClosed else { return end(transfer, Self.cancellation(of: transfer)) }
        open()
        transfer.phase = .queued
        transfer.state = .queued
        let mayBegin = withQueue(of: transfer) { queue in
            transfer.place = queue.place(for: transfer.request.url)
            return queue.enter(transfer, at: transfer.place!)
        }
        if mayBegin { begin(transfer) }
        admit()
        guard transfer.state == .queued else { return }
        // Who begins at once is looked at then, as it goes out.
        if let refusal = transfer.request.refusal(transfer.options) {
            withQueue(of: transfer) { $0.remove(transfer) }
            return end(transfer, refusal)
        }
        if withQueue(of: transfer, { $0.waiting }) > configuration.pool.queueLimit {
            withQueue(of: transfer) { $0.remove(transfer) }
            return end(
                transfer,
                transfer.fail(
                    .overloaded, "\(configuration.pool.queueLimit) requests wait already", .sendFewerAtOnce))
        }
        limitWaiting(of: transfer)
    }

    private func cancel(_ transfer: CurlTransfer) {
        switch transfer.state {
        case .new, .ended:
            transfer.state = .ended
        case .queued:
            withQueue(of: transfer) { $0.remove(transfer) }
            end(transfer, nil)
        case .preparing:
            end(transfer, nil)
        case .running:
            if let easy = transfer.easy { easy.multi.remove(easy) }
            release(transfer)
            end(transfer, nil)
            admit()
        }
    }

    private func resume(_ transfer: CurlTransfer) {
        guard transfer.state == .running, transfer.isHeld, !transfer.isPauseWanted, let easy = transfer.easy else {
            return
        }
        transfer.isHeld = false
        transfer.progress(loop.now)
        easy.multi.unpause(easy)
        endIfWhole(transfer)
    }

    // MARK: Beginning

    private func open() {
        guard ending == nil else { return }
        multis = CurlMultis(for: self)
        afterSockets = LoopAfterSockets(on: loop) { [unowned self] in actOnDue() }
        ending = loop.atEnd { [self] in take(.shutdown) }
    }

    func admit() {
        if ordinary.waiting == 0, longLived.waiting == 0 { return }
        while let transfer = ordinary.admit() ?? longLived.admit() { begin(transfer) }
    }

    private func begin(_ transfer: CurlTransfer) {
        transfer.state = .running
        dropDeadline(of: transfer)
        guard !transfer.isDisposed else { return }
        switch transfer.prepared() {
        case .success?:
            if transfer.isMisplaced, !move(transfer) { return }
            launch(transfer)
        case .failure(let error)?:
            withQueue(of: transfer) { $0.leave(transfer) }
            end(transfer, error)
        case nil:
            // Its turn is for others as long as its adapters wait.
            withQueue(of: transfer) { $0.leave(transfer) }
            transfer.state = .preparing
            preparing[ObjectIdentifier(transfer)] = transfer
        }
    }

    private func prepared(_ transfer: CurlTransfer, _ result: Result<Request, any Error>) {
        guard transfer.state == .preparing else { return }
        if case .failure(let error) = transfer.settle(result) { return end(transfer, error) }
        preparing[ObjectIdentifier(transfer)] = nil
        transfer.state = .queued
        withQueue(of: transfer) { queue in
            if transfer.isMisplaced { transfer.place = queue.place(for: transfer.request.url) }
            queue.putBack(transfer)
        }
        transfer.isFresh = true
        admit()
        transfer.isFresh = false
        limitWaiting(of: transfer)
    }

    func launch(_ transfer: CurlTransfer) {
        transfer.admission = loop.now
        transfer.progress(transfer.admission)
        transfer.phase = .resolving
        transfer.announce()
        proceed(transfer)
    }

    /// Gives the transfer to libcurl, once it is known where to go.
    func proceed(_ transfer: CurlTransfer) {
        guard !transfer.isDisposed, isReachable(transfer) else { return }
        guard hasURL(transfer) else {
            withQueue(of: transfer) { $0.leave(transfer) }
            return end(
                transfer, transfer.fail(.invalidRequest, "the URL was not understood", "check its host and port"))
        }
        guard let multi = multis.multi(for: transfer), let easy = multi.easy()
        else { return outOfDescriptors(transfer) }
        transfer.easy = easy
        easy.prepare(for: transfer)
        guard multi.add(easy) else {
            transfer.easy = nil
            return outOfDescriptors(transfer)
        }
        limitRunning(of: transfer)
    }

    // MARK: The end

    private static func cancellation(of transfer: CurlTransfer) -> HTTPClientError {
        transfer.fail(.cancelled, "the transport was shut down", "send the request with another")
    }

    private func close() {
        guard !isClosed else { return }
        isClosed = true
        guard let ending else { return }
        loop.forgetEnd(ending)
        var left: [CurlTransfer] = []
        for multi in multis.all {
            for easy in multi.active {
                multi.remove(easy)
                if let transfer = easy.transfer {
                    left.append(transfer)
                    release(transfer)
                } else {
                    multi.recycle(easy, isWell: false)
                }
            }
        }
        for transfer in book.close() {
            left.append(transfer)
            release(transfer)
        }
        for transfer in left + preparing.values + ordinary.removeAll() + longLived.removeAll() {
            end(transfer, Self.cancellation(of: transfer))
        }
        multis.close()
        afterSockets?.close()
        afterSockets = nil
        due = []
    }

    func withQueue<Result>(of transfer: CurlTransfer, _ body: (inout AdmissionQueue) -> Result) -> Result {
        transfer.options.isLongLived ? body(&longLived) : body(&ordinary)
    }
}
