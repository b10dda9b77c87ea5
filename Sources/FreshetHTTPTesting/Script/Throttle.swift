import FreshetCore

/// Lets bytes of answers pass as the test says, so that no test has to sleep for a slow server.
///
/// ```swift
/// let tap = Tap()
/// server.enqueue(ScriptedResponse(body: "slow").metered(by: throttle))
/// throttle.allow(20)   // the first 20 bytes, of the head as it is on the wire
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

    /// Lets so many more bytes pass. Can be called from any thread.
    public func allow(_ count: Int) {
        wake { $0.allowed += max(0, count) }
    }

    /// Lets everything pass from now on.
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

    /// How many bytes may pass now, up to `count`; they are taken.
    func consume(atMost count: Int) -> Int {
        state.withLock { state in
            if state.isOpen { return count }
            let taken = min(count, state.allowed)
            state.allowed -= taken
            return taken
        }
    }

    /// Calls `pass` once when more may pass; at once if it may now.
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

/// How fast an answer goes out.
enum Pace: Sendable {
    /// So many bytes, and then nothing for so long.
    case every(Int, Duration)
    case tap(Throttle)
}

extension ScriptedResponse {
    /// The answer at `count` bytes each `pause`, the head included; a stub has the body alone to slow down.
    public func dripping(_ count: Int, every pause: Duration) -> ScriptedResponse {
        paced(.every(max(1, count), pause))
    }

    /// The answer as fast as `tap` lets its bytes pass, those of the head included; a stub has the body alone.
    public func metered(by throttle: Throttle) -> ScriptedResponse {
        paced(.tap(throttle))
    }

    private func paced(_ pace: Pace) -> ScriptedResponse {
        var response = self
        response.opening.insert(.pace(pace), at: 0)
        return response
    }
}
