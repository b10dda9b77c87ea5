public import FreshetCore

/// Counts the running requests of a client and of the clients derived from it, and decides whether new requests may start.
final class ClientActivity: Sendable {
    private enum Phase {
        case open
        /// The client starts no more requests, and long-lived requests have to end.
        case draining
        /// Like ``draining``. All registered requests have to end.
        case ending
    }

    private struct State {
        var phase = Phase.open
        var running = 0
        /// The requests that only their subscriber ends, and those that wait or could wait.
        var registered: [Int: RequestCall] = [:]
        var whenIdle: [@Sendable () -> Void] = []
        /// The callbacks of ``ClientActivity/whenClosed(_:)``, for callers that wait before their next request.
        var whenClosed: [Int: @Sendable () -> Void] = [:]
        var lastKey = 0

        mutating func nextKey() -> Int {
            lastKey += 1
            return lastKey
        }

        /// Removes and returns the callbacks to call when no request runs any more; none while the client is open or a request
        /// runs.
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

    /// - Returns: whether a request may start. A request that starts has to call ``leave()`` at its end.
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

    /// Registers a request that does not end by itself, or that waits, until the caller disposes of the result. The request has
    /// to end at once if the client is already shutting down.
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

    /// Starts no more requests, and ends those that would not end by themselves. Calls `whenIdle` when no request is running.
    func drain(_ whenIdle: @escaping @Sendable () -> Void) {
        close(.draining, whenIdle)
    }

    /// Does what ``drain(_:)`` does, and also ends the other registered requests, now and from now on.
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

    /// Calls `tell` once the client starts no more requests, unless the caller disposes of the result first.
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
    /// Starts no more requests, including those of the clients derived from this one, and completes when no request is running.
    ///
    /// A request that is sent later fails with `cancelled`. Long-lived responses fail with `cancelled` at once, because they
    /// would not end by themselves. Draining begins with the subscription, and continues if the subscriber disposes of it.
    public func drain() -> Completable {
        .create { [activity] observer in
            activity.drain { observer(.completed) }
            return Disposables.create()
        }
    }

    /// Completes once the client starts no more requests, or at once if it is already closed. It is for callers that wait
    /// before their next request.
    public var closing: Completable {
        .create { [activity] observer in activity.whenClosed { observer(.completed) } }
    }

    /// Ends the requests that wait, or can come to wait, for a layer, a retrier or the next attempt: ``drain()`` would wait for them
    /// although no transfer is running. The transport ends the others.
    package func endWaiting() { activity.end() }

    static let shuttingDown = HTTPClientError(
        .cancelled, phase: .preparing, message: "the client is shutting down",
        recoverySuggestion: "send the request with another")

    /// The error of what waited to be tried again after `error`.
    static func shuttingDown(after error: any Error) -> HTTPClientError {
        var end = shuttingDown
        end.underlying = error
        return end
    }

    static func refusal(of url: RequestURL) -> HTTPClientError {
        var error = shuttingDown
        error.origin = url.origin.description
        error.isUnsent = true
        return error
    }
}
