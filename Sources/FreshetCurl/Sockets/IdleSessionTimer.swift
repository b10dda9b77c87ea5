import FreshetLoop

/// Lets libcurl act on the silent HTTP/2 connections of a multi about once per second.
///
/// nghttp2 ends a session in which the server breaks the rules. libcurl may learn of that only when it acts on the socket
/// again. The server then waits for the client, so no bytes come that would make libcurl act.
final class IdleSessionTimer {
    private let span: Duration
    private let act: () -> Bool
    private var timer: LoopTimer!
    private var isRunning = false

    /// - Parameter act: acts on silent connections; returns whether there may be any later.
    init(on loop: Loop, span: Duration = .seconds(1), act: @escaping () -> Bool) {
        self.span = span
        self.act = act
        timer = LoopTimer(on: loop) { [unowned self] in fired() }
    }

    /// Starts the timer, because an HTTP/2 connection carries a transfer.
    func start() {
        if isRunning { return }
        isRunning = true
        timer.start(after: span)
    }

    func close() { timer.close() }

    private func fired() {
        isRunning = act()
        if isRunning { timer.start(after: span) }
    }
}
