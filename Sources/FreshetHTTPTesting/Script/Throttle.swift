import FreshetCore

/// Lets bytes of responses pass when the test says so, so that no test has to sleep for a slow server.
///
/// ```swift
/// let throttle = Throttle()
/// server.enqueue(ScriptedResponse(body: "slow").throttled(by: throttle))
/// throttle.allow(20)   // the first 20 bytes on the wire, which begin with the head
/// throttle.open()      // the rest
/// ```
public final class Throttle: Sendable {
    private struct State {
        var allowed = 0
        var isOpen = false
    }

    private let list = WaitList(State(), isOpen: { $0.isOpen || $0.allowed > 0 })

    public init() {}

    /// Lets `count` more bytes pass. Can be called from any thread.
    public func allow(_ count: Int) {
        list.wake { state in
            let (sum, isBeyondRange) = state.allowed.addingReportingOverflow(max(0, count))
            state.allowed = isBeyondRange ? .max : sum
        }
    }

    /// Lets all bytes pass from now on. Can be called from any thread.
    public func open() {
        list.wake { $0.isOpen = true }
    }

    /// Takes as many of `count` bytes as may pass now, and returns their number.
    func consume(atMost count: Int) -> Int {
        list.withState { state in
            if state.isOpen { return count }
            let taken = min(count, state.allowed)
            state.allowed -= taken
            return taken
        }
    }

    /// Calls `pass` once when more bytes may pass, or at once if some may pass now.
    func wait(_ pass: @escaping @Sendable () -> Void) -> any Disposable { list.wait(pass) }
}

/// How fast a response is sent.
enum Pace: Sendable {
    /// This number of bytes, and then nothing for this time.
    case every(Int, Duration)
    case tap(Throttle)
}

extension ScriptedResponse {
    /// Sends `count` bytes of the response each `pause`, including the head. A stub paces only the body.
    public func paced(_ count: Int, every pause: Duration) -> ScriptedResponse {
        opened(by: .pace(.every(max(1, count), pause)))
    }

    /// Sends the response as fast as `throttle` lets its bytes pass, including the head. A stub paces only the body.
    public func throttled(by throttle: Throttle) -> ScriptedResponse {
        opened(by: .pace(.tap(throttle)))
    }
}
