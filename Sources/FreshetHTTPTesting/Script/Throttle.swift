import FreshetCore

/// Lets bytes of responses pass when the test says so, so that no test has to sleep for a slow server.
///
/// ```swift
/// let throttle = Throttle()
/// server.enqueue(ScriptedResponse(body: "slow").metered(by: throttle))
/// throttle.allow(20)   // the first 20 bytes on the wire, which begin with the head
/// throttle.open()      // the rest
/// ```
public final class Throttle: Sendable {
    private struct State {
        var allowed = 0
        var isOpen = false
        var waiters: [Int: @Sendable () -> Void] = [:]
        var lastKey = 0
    }

    private let state = Locked(State())

    public init() {}

    /// Lets `count` more bytes pass. Can be called from any thread.
    public func allow(_ count: Int) {
        wake { $0.allowed += max(0, count) }
    }

    /// Lets all bytes pass from now on. Can be called from any thread.
    public func open() {
        wake { $0.isOpen = true }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            defer { state.waiters = [:] }
            return state.waiters
        }
        for (_, pass) in waiters.sorted(by: { $0.key < $1.key }) { pass() }
    }

    /// Takes as many of `count` bytes as may pass now, and returns their number.
    func consume(atMost count: Int) -> Int {
        state.withLock { state in
            if state.isOpen { return count }
            let taken = min(count, state.allowed)
            state.allowed -= taken
            return taken
        }
    }

    /// Calls `pass` once when more bytes may pass, or at once if some may pass now.
    func wait(_ pass: @escaping @Sendable () -> Void) -> any Disposable {
        let key = state.withLock { state -> Int? in
            if state.isOpen || state.allowed > 0 { return nil }
            state.lastKey += 1
            state.waiters[state.lastKey] = pass
            return state.lastKey
        }
        guard let key else {
            pass()
            return Disposables.create()
        }
        return Disposables.create { [state] in
            _ = state.withLock { $0.waiters.removeValue(forKey: key) }
        }
    }
}

/// How fast a response is sent.
enum Pace: Sendable {
    /// This number of bytes, and then nothing for this time.
    case every(Int, Duration)
    case tap(Throttle)
}

extension ScriptedResponse {
    /// Sends `count` bytes of the response each `pause`, including the head. A stub paces only the body.
    public func dripping(_ count: Int, every pause: Duration) -> ScriptedResponse {
        paced(.every(max(1, count), pause))
    }

    /// Sends the response as fast as `throttle` lets its bytes pass, including the head. A stub paces only the body.
    public func metered(by throttle: Throttle) -> ScriptedResponse {
        paced(.tap(throttle))
    }

    private func paced(_ pace: Pace) -> ScriptedResponse {
        var response = self
        response.opening.insert(.pace(pace), at: 0)
        return response
    }
}
