import Freshet

/// Calls an action when a loop is shut down. After that no timer fires, and the loop takes no more work.
///
/// Used on the loop alone.
final class LoopEnd {
    /// A timer that is never set. A loop that ends closes its timers, and a closed timer releases its handler.
    private var timer: LoopTimer?
    private let action: () -> Void

    /// - Parameter action: called once on the loop, unless ``close()`` is called before.
    init(of loop: Loop, action: @escaping () -> Void) {
        self.action = action
        let release = Release()
        timer = LoopTimer(on: loop) { withExtendedLifetime(release) {} }
        release.action = { [weak self] in self?.handlerIsReleased() }
    }

    func close() {
        timer.take()?.close()
    }

    private func handlerIsReleased() {
        if timer.take() != nil { action() }
    }

    private final class Release {
        var action: () -> Void = {}

        deinit { action() }
    }
}
