import CFreshetCurl
import FreshetCore
import FreshetHTTP
import FreshetLoop

/// The part of a transport that runs on the loop. It decides which transfer begins and on which multi, and processes the
/// end of each transfer.
// Unchecked: only the loop uses it, except `submit` and `shutdown`.
final class CurlPool: @unchecked Sendable {
    /// The state of a pool.
    struct State {
        var admission: Admission
        /// An admitted transfer is being begun.
        var isBeginning = false
        var commands = CommandQueue()
        var dnsCache: DNSCache
        var life = Life.unused
        /// The multis that have something to do at the end of this turn of the loop.
        var due: [CurlMulti] = []

        /// Admits the next transfer, unless another one is being begun.
        mutating func nextToBegin() -> CurlTransfer? {
            guard !isBeginning, let transfer = admission.next() else { return nil }
            isBeginning = true
            return transfer
        }

        /// Removes the multis that are due. The caller can hold the last reference to one.
        mutating func takeDue() -> [CurlMulti] {
            defer { due = [] }
            return due
        }
    }

    enum Life {
        case unused
        case open(CurlMultis, LoopDeferredCall, ending: UInt64)
        case closed
    }

    let loop: Loop
    let configuration: CurlTransport.Configuration
    let gauges = Gauges()
    let proxies: ProxyChoice
    let tls: TLSMaterial
    #if DEBUG
        var state: State
    #else
        // Debug builds, in which the tests run, check exclusivity: see the page ExclusivityChecksStayOn.
        @exclusivity(unchecked) var state: State
    #endif

    init(on loop: Loop, configuration: CurlTransport.Configuration) {
        self.loop = loop
        self.configuration = configuration
        proxies = ProxyChoice(configuration.proxy, environment: CurlTransport.environment)
        tls = TLSMaterial(configuration.tls)
        state = State(
            admission: Admission(configuration.pool, gauges), dnsCache: DNSCache(configuration.addresses))
    }

    // MARK: Any thread

    func submit(_ command: Command) {
        if loop.isCurrent { return perform(command) }
        guard case .start(let transfer) = command else { return _ = loop.execute { self.perform(command) } }
        if !loop.execute(transfer) { end(transfer, Self.cancellation(of: transfer)) }
    }

    func shutdown() {
        _ = loop.executeAndWait { self.perform(.shutdown) }
    }

    // MARK: Commands

    func perform(_ command: Command) {
        state.commands.append(command)
        runCommands()
    }

    func inCurl<Result>(_ body: () -> Result) -> Result {
        state.commands.hold()
        defer { state.commands.release() }
        return body()
    }

    /// Carries out the submitted commands, unless libcurl runs or ended transfers are being processed.
    func runCommands() {
        // A few rounds save turns of the loop. More rounds would block the loop, if an observer repeats a request that
        // fails at once.
        for _ in 0..<4 {
            guard state.commands.begin() else { return }
            while let command = state.commands.next() { run(command) }
        }
        if state.commands.mayBegin { continueInNextTurn() }
    }

    private func continueInNextTurn() {
        guard !state.commands.isContinued else { return }
        state.commands.isContinued = loop.execute {
            self.state.commands.isContinued = false
            self.runCommands()
        }
        if !state.commands.isContinued, case .closed = state.life { runLastCommands() }
    }

    /// Carries out the commands of a loop that has no next turn. Requests end at once here, and an observer can repeat one for ever,
    /// which would prevent the loop's end. So the commands are dropped at some time.
    private func runLastCommands() {
        for _ in 0..<10_000 where state.commands.begin() {
            while let command = state.commands.next() { run(command) }
        }
        _ = state.commands.removeAll()
    }

    private func run(_ command: Command) {
        switch command {
        case .start(let transfer): start(transfer)
        case .prepared(let transfer, let result): prepared(transfer, result)
        case .resolved(let name, let result, let ticket): resolved(name, result, ticket)
        case .cancel(let transfer): cancel(transfer)
        case .resume(let transfer): resume(transfer)
        case .sendOn(let transfer): sendOn(transfer)
        case .deferred(let transfer, .deliverPieces): transfer.apply(.deliverPieces)
        case .deferred(let transfer, .responseBegan): limitStreaming(of: transfer)
        case .deferred(let transfer, .bodyCompleted): endIfWhole(transfer)
        case .beginNext: beginNext()
        case .shutdown: close()
        }
    }

    /// Calls `endTurn` of `multi` at the end of this turn of the loop.
    func requestTurnEnd(of multi: CurlMulti) {
        state.due.append(multi)
        if case .open(_, let afterSockets, _) = state.life { afterSockets.schedule() }
    }

    /// Lets libcurl act at once on the multis that are due, in this turn of the loop. A timer would take one more turn, and
    /// up to a millisecond.
    ///
    /// All requests of the turn go out together. Their responses wait for the next turn: otherwise a fast server would keep
    /// one connection busy for ever, and all others would wait.
    private func actOnDueMultis() {
        for multi in state.takeDue() { multi.endTurn() }
    }

    // MARK: Beginning and end

    /// The multis, which exist from the first transfer to the end of the pool.
    var multis: CurlMultis? {
        if case .open(let multis, _, _) = state.life { multis } else { nil }
    }

    /// - Returns: whether the pool accepts transfers.
    func open() -> Bool {
        switch state.life {
        case .open: return true
        case .closed: return false
        case .unused where loop.isEnding:
            state.life = .closed
            return false
        case .unused:
            let ending = loop.atEnd { [self] in perform(.shutdown) }
            let afterSockets = LoopDeferredCall(on: loop) { [unowned self] in actOnDueMultis() }
            state.life = .open(CurlMultis(for: self), afterSockets, ending: ending)
            return true
        }
    }

    static func cancellation(of transfer: CurlTransfer) -> HTTPClientError {
        transfer.state.error(.cancelled, "the transport was shut down", "send the request with another")
    }

    private func close() {
        let life = state.life
        state.life = .closed
        guard case .open(let multis, let afterSockets, let ending) = life else { return }
        loop.removeEnd(ending)
        var left: [CurlTransfer] = []
        for multi in multis.all {
            for easy in multi.state.handles.active {
                multi.remove(easy)
                if let transfer = easy.transfer {
                    left.append(transfer)
                } else {
                    multi.recycle(easy, isWell: false)
                }
            }
        }
        // A copy is closed, because the end of a lookup can call code of the resolver.
        var dnsCache = state.dnsCache
        left += dnsCache.close()
        state.dnsCache = dnsCache
        for transfer in left {
            withdraw(transfer)
            state.admission.leave(transfer)
        }
        for transfer in left + state.admission.removeAll() { end(transfer, Self.cancellation(of: transfer)) }
        multis.close()
        afterSockets.close()
        withExtendedLifetime(state.takeDue()) {}
    }
}
