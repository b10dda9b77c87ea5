import FreshetCore
import FreshetHTTP

/// One request that is sent for several callers.
///
/// One lock decides who can still join and who receives a part, so each caller receives the whole response from the head on.
final class SharedRequest: TransferReceiver {
    private struct Caller: Sendable {
        let number: Int
        let receiver: any TransferReceiver
        /// Those of the caller's own final request, such as its account.
        let tags: RequestTags
        let observer: AnyObserver<ResponsePart>
        var isPaused = false
    }

    private struct State: Sendable {
        /// In the order in which they have joined.
        var callers: [Caller] = []
        var lastCaller = 0
        /// No caller can join after the head, because it would miss the earlier parts.
        var isOpen = true
        var transfer: (any Transfer)?
        /// The latest final request, and how often the transport has reported one.
        var sent: (request: Request, times: Int)?
        /// The caller that has made the request final, and whose tags it has.
        var preparer: Int?

        var mustPause: Bool { !callers.isEmpty && callers.allSatisfy(\.isPaused) }

        /// Their numbers grow, and there can be too many callers to look at all of them for each that cancels.
        func index(of number: Int) -> Int? {
            var (low, high) = (0, callers.count)
            while low < high {
                let middle = (low + high) / 2
                if callers[middle].number < number { low = middle + 1 } else { high = middle }
            }
            return low < callers.count && callers[low].number == number ? low : nil
        }

        mutating func add(
            _ receiver: any TransferReceiver, _ tags: RequestTags, _ observer: AnyObserver<ResponsePart>
        ) -> Int {
            lastCaller += 1
            callers.append(Caller(number: lastCaller, receiver: receiver, tags: tags, observer: observer))
            return lastCaller
        }
    }

    private enum Step {
        case refuse
        case begin(caller: Int)
        case join(caller: Int, resumes: Bool)
        /// The caller has not received the latest final request.
        case report(Request, times: Int)
    }

    /// As the first caller sent it, before its interceptors adapted it.
    let request: Request
    private let transport: any Transport
    private let close: @Sendable (SharedRequest) -> Void
    private let state = Locked(State())

    /// - Parameter close: called when no caller can join any more.
    init(_ request: Request, over transport: any Transport, close: @escaping @Sendable (SharedRequest) -> Void) {
        self.request = request
        self.transport = transport
        self.close = close
    }

    // MARK: Callers

    /// Returns the subscription of a caller, or `nil` if it is too late to join. The first caller begins the transfer.
    ///
    /// - Parameter tags: those of the caller's own final request. Its retries and redirects have them.
    func join(
        _ receiver: any TransferReceiver, with tags: RequestTags, _ observer: AnyObserver<ResponsePart>
    ) -> (any Pausable)? {
        var reported = 0
        while true {
            let step = state.withLock { state -> Step in
                guard state.isOpen else { return .refuse }
                // The caller has to know the final request before it receives the head.
                if let sent = state.sent, sent.times != reported { return .report(sent.request, times: sent.times) }
                let wasPaused = state.mustPause
                let caller = state.add(receiver, tags, observer)
                return caller == 1 ? .begin(caller: caller) : .join(caller: caller, resumes: wasPaused)
            }
            switch step {
            case .refuse:
                close(self)
                return nil
            case .report(let request, let times):
                receiver.willSend(Self.tagged(request, tags))
                reported = times
            case .begin(let caller):
                let transfer = transport.transfer(request, to: self)
                state.withLock { $0.transfer = transfer }
                transfer.start()
                return Membership(of: caller, in: self)
            case .join(let caller, let resumes):
                observer.onNext(.phase(.layer(LayerEvent("coalescing", "joined"))))
                if resumes { updateTransfer() }
                return Membership(of: caller, in: self)
            }
        }
    }

    fileprivate func leave(_ number: Int) {
        let (wasLast, isPauseChanged, transfer) = state.withLock { state -> (Bool, Bool, (any Transfer)?) in
            let wasPaused = state.mustPause
            // The end has removed all callers.
            guard let index = state.index(of: number) else { return (false, false, nil) }
            state.callers.remove(at: index)
            guard state.callers.isEmpty else { return (false, state.mustPause != wasPaused, nil) }
            state.isOpen = false
            return (true, false, state.transfer.take())
        }
        if isPauseChanged { updateTransfer() }
        guard wasLast else { return }
        close(self)
        transfer?.dispose()
    }

    fileprivate func setPaused(_ isPaused: Bool, _ number: Int) {
        let isChanged = state.withLock { state in
            let wasPaused = state.mustPause
            guard let index = state.index(of: number) else { return false }
            state.callers[index].isPaused = isPaused
            return state.mustPause != wasPaused
        }
        if isChanged { updateTransfer() }
    }

    private func updateTransfer() {
        state.withLock { $0.transfer }?.pauseOrResume { state.withLock { $0.mustPause } }
    }

    // MARK: Receiving

    /// The earliest caller that has not cancelled makes the request final.
    func prepare(_ request: inout Request) -> Adaptation {
        let first = state.withLock { state in
            state.preparer = state.callers.first?.number
            return state.callers.first?.receiver
        }
        return first?.prepare(&request) ?? .ready
    }

    func account(of request: Request) -> AccountResolution {
        state.withLock { $0.callers.first?.receiver }?.account(of: request) ?? .ready(nil)
    }

    func willSend(_ request: Request) {
        let (callers, preparer) = state.withLock { state in
            state.sent = (request, (state.sent?.times ?? 0) + 1)
            return (state.callers, state.preparer)
        }
        for caller in callers {
            caller.receiver.willSend(caller.number == preparer ? request : Self.tagged(request, caller.tags))
        }
    }

    private static func tagged(_ request: Request, _ tags: RequestTags) -> Request {
        var request = request
        request.tags = tags
        return request
    }

    func receive(_ part: consuming ResponsePart) {
        let isHead = if case .head = part { true } else { false }
        let callers = state.withLock { state in
            if isHead { state.isOpen = false }
            return state.callers
        }
        if isHead { close(self) }
        for caller in callers { caller.observer.onNext(copy part) }
    }

    func receiveEnd(_ failure: (any Error)?) {
        let callers = state.withLock { state in
            state.isOpen = false
            // Breaks the retain cycle: the transfer retains this object as its receiver.
            state.transfer = nil
            defer { state.callers = [] }
            return state.callers
        }
        close(self)
        for caller in callers {
            if let failure { caller.observer.onError(failure) } else { caller.observer.onCompleted() }
        }
    }
}

/// The subscription of one caller to a shared request.
private final class Membership: Pausable {
    private let caller: Int
    private let request: SharedRequest

    init(of caller: Int, in request: SharedRequest) {
        self.caller = caller
        self.request = request
    }

    func dispose() { request.leave(caller) }
    func pause() { request.setPaused(true, caller) }
    func resume() { request.setPaused(false, caller) }
}
