import FreshetLoop

/// Acts about once per span of time, as long as there may be something to act on.
final class PeriodicCheck {
    private let span: Duration
    private let act: () -> Bool
    private var timer: LoopTimer!
    private var isRunning = false

    /// - Parameter act: returns whether there may be something to act on later.
    init(on loop: Loop, every span: Duration, act: @escaping () -> Bool) {
        self.span = span
        self.act = act
        timer = LoopTimer(on: loop) { [unowned self] in fired() }
    }

    /// Starts the timer, because there is something to act on. Nothing happens if it runs.
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
