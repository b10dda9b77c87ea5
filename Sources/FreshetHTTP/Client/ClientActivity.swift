public import FreshetCore

/// How many requests of a client, and of those derived from it, are running, and whether it takes more.
final class ClientActivity: Sendable {
    private enum Phase {
        case open
        /// No more requests are taken, and those that are long-lived have to end.
        case draining
        /// Those too that wait for their next attempt.
        case ending
    }

    private struct State {
        var phase = Phase.open
        var running = 0
        /// Those that nothing but their subscriber ends, or nothing at all for a while.
        var registered: [Int: RequestCall] = [:]
        var whenIdle: [@Sendable () -> Void] = []
        /// Those who would send something later.
        var whenClosed: [Int: @Sendable () -> Void] = [:]
        var lastKey = 0

        mutating func nextKey() -> Int {
            lastKey += 1
            return lastKey
        }

        /// Whom to tell that nothing is running any more.
        mutating func takeIdle() -> [@Sendable () -> Void] {
            guard phase != .open, running == 0 else { return [] }
            defer { whenIdle = [] }
            return whenIdle
        }

        func hasToEnd(_ request: RequestCall) -> Bool {
            phase == .ending || (phase == .draining && request.isLongLived)
        }
    }

    private let state = Locked(State())

    /// - Returns: whether a request may begin; then it has to ``leave()``.
    func enter() -> Bool {
        state.withLock { state in
            guard state.phase == .open else { return false }
            state.running += 1
            return true
        }
    }

    func leave() {
        let idle = state.withLock { state in
            state.running -= 1
            return state.takeIdle()
        }
        for tell in idle { tell() }
    }

    /// Notes a request that would go on, or wait, for as long as it likes, until what comes back is disposed of. It may have
    /// to end at once.
    func register(_ request: RequestCall) -> any Disposable {
        let (key, hasToEnd) = state.withLock { state in
            let key = state.nextKey()
            state.registered[key] = request
            return (key, state.hasToEnd(request))
        }
        if hasToEnd { request.shutDown() }
        return Disposables.create { [self] in
            _ = state.withLock { $0.registered.removeValue(forKey: key) }
        }
    }

    /// Takes no more requests, and ends those that would not end by themselves. Calls `whenIdle` when none is left.
    func drain(_ whenIdle: @escaping @Sendable () -> Void) {
        close(.draining, whenIdle)
    }

    /// The same, and ends those too that wait for their next attempt, now and from now on.
    func end() { close(.ending) {} }

    private func close(_ phase: Phase, _ whenIdle: @escaping @Sendable () -> Void) {
        let (closed, ended, idle) = state.withLock { state in
            if state.phase != .ending { state.phase = phase }
            state.whenIdle.append(whenIdle)
            defer { state.whenClosed = [:] }
            return (
                Array(state.whenClosed.values), state.registered.values.filter { state.hasToEnd($0) },
                state.takeIdle()
            )
        }
        for tell in closed { tell() }
        for request in ended { request.shutDown() }
        for tell in idle { tell() }
    }

    /// Calls `tell` once no more requests are taken, unless what comes back is disposed of before.
    func whenClosed(_ tell: @escaping @Sendable () -> Void) -> any Disposable {
        let key = state.withLock { state -> Int? in
            guard state.phase == .open else { return nil }
            let key = state.nextKey()
            state.whenClosed[key] = tell
            return key
        }
        guard let key else {
            tell()
            return Disposables.create()
        }
        return Disposables.create { [self] in
            _ = state.withLock { $0.whenClosed.removeValue(forKey: key) }
        }
    }
}

extension RequestCall {
    fileprivate func shutDown() { submit(.interrupt(HTTPClient.shuttingDown), of: nil) }
}

extension HTTPClient {
    /// Takes no more requests, of the clients derived from this one neither, and completes when none is running any more.
    ///
    /// What comes later fails with `cancelled`. Answers that are long-lived are ended with that at once, for they would
    /// not end by themselves. Begins when somebody subscribes, and goes on if they leave.
    public func drain() -> Completable {
        .create { [activity] observer in
            activity.drain { observer(.completed) }
            return Disposables.create()
        }
    }

    /// Completes once no more requests are taken, at once if that is so already: for who would wait before the next one.
    public var closing: Completable {
        .create { [activity] observer in activity.whenClosed { observer(.completed) } }
    }

    /// Ends what ``drain()`` would wait for although no transfer is running: requests that wait for their next attempt.
    package func endWaiting() { activity.end() }

    static let shuttingDown = HTTPClientError(
        .cancelled, phase: .preparing, message: "the client is shutting down",
        recoverySuggestion: "send the request with another")

    static func refusal(of url: RequestURL) -> HTTPClientError {
        var error = shuttingDown
        error.origin = url.origin.description
        error.isUnsent = true
        return error
    }
}
