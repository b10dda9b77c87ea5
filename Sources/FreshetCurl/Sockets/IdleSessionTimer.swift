import FreshetLoop

/// Gives the HTTP/2 connections of a multi that are silent a turn about once per second.
///
/// nghttp2 ends a session in which the server breaks the rules, and libcurl may learn of that only when it acts on the socket
/// once more. The server waits for the client then, so nothing comes that would cause it.
final class IdleSessionTimer {
    private let span: Duration
    private let act: () -> Bool
    private var timer: LoopTimer!
    private var isRunning = false

    /// - Parameter act: acts on what is silent; returns whether anything may still be.
    init(on loop: Loop, span: Duration = .seconds(1), act: @escaping () -> Bool) {
        self.span = span
        self.act = act
        timer = LoopTimer(on: loop) { [unowned self] in fired() }
    }

    /// An HTTP/2 connection carries something.
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
