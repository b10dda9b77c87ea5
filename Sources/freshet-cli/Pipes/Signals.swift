// The compiler assigns `timespec` to the system module that it reads first, which may be this one.
import CFreshetSystem
import Foundation
import Freshet

/// Receives Ctrl-C, SIGTERM and the end of the terminal on a thread of its own. No handler interrupts other code, and no
/// descriptor is needed.
final class Signals: Sendable {
    /// The instance of the process. The main thread has to use it before it makes another thread, because a new thread inherits
    /// the blocked signals.
    static let shared = Signals()

    private let stop = Locked<Stop?>(nil)

    // A structure, because each access to a bare function behind a generic lock wraps it again.
    private struct Stop {
        let action: @Sendable (Int32) -> Void
    }

    private init() {
        // Swift's runtime takes it for a crash.
        if freshet_is_ignored(SIGQUIT) == 0 { signal(SIGQUIT, SIG_DFL) }
        var set = sigset_t()
        sigemptyset(&set)
        // `nohup` has SIGHUP ignored, and a shell without job control SIGINT of a command with `&`. A blocked signal would not
        // be ignored.
        for number in [SIGINT, SIGTERM, SIGHUP] where freshet_is_ignored(number) == 0 { sigaddset(&set, number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        Thread.detachNewThread { [set] in self.wait(for: set) }
    }

    /// Calls `stop` with the number of the next signal. That signal does not end the process.
    func handle(_ stop: @escaping @Sendable (Int32) -> Void) {
        self.stop.withLock { $0 = Stop(action: stop) }
    }

    /// Removes the handler. The next signal ends the process.
    func removeHandler() {
        stop.withLock { $0 = nil }
    }

    private func wait(for set: sigset_t) {
        var set = set
        var number: Int32 = 0
        while sigwait(&set, &number) == 0 {
            // Each handler serves one signal: a second Ctrl-C ends the process at once, without waiting for a clean-up.
            let stop = stop.withLock { $0.take() }
            guard let stop else { _exit(128 + number) }
            stop.action(number)
            Self.passOverTwins(of: number)
        }
    }

    /// Drops a second copy of the signal that arrives within 50 ms: `timeout -s INT` sends the signal to the process and then
    /// to its group.
    private static func passOverTwins(of number: Int32) {
        usleep(50_000)
        var twins = sigset_t()
        sigemptyset(&twins)
        sigaddset(&twins, number)
        var now = timespec()
        sigtimedwait(&twins, nil, &now)
    }
}
