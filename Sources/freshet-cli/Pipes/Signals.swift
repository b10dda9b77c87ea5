// `timespec` is of whichever module of the system the compiler reads first.
import CFreshetSystem
import Foundation
import Freshet

/// Ctrl-C and SIGTERM, taken by a thread that does nothing else: no handler runs in the middle of anything, and no
/// descriptor is needed for it.
final class Signals: Sendable {
    /// Of the process. It has to be touched before any other thread is made, which then leaves the signals to it.
    static let shared = Signals()

    private let stop = Locked<Stop?>(nil)

    // In a structure: a bare function behind a generic lock is wrapped anew by each look at it.
    private struct Stop {
        let action: @Sendable (Int32) -> Void
    }

    private init() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        Thread.detachNewThread { [set] in self.wait(for: set) }
    }

    /// Calls `stop` with the number of the next signal, in place of ending the process with it.
    func handle(_ stop: @escaping @Sendable (Int32) -> Void) {
        self.stop.withLock { $0 = Stop(action: stop) }
    }

    /// From now on, a signal ends the process.
    func letGo() {
        stop.withLock { $0 = nil }
    }

    private func wait(for set: sigset_t) {
        var set = set
        var number: Int32 = 0
        while sigwait(&set, &number) == 0 {
            // Whoever presses Ctrl-C a second time does not want to wait until we have tidied up.
            let stop = stop.withLock { $0.take() }
            guard let stop else { _exit(128 + number) }
            stop.action(number)
            Self.passOverTwins(of: number)
        }
    }

    /// `timeout -s INT` sends the signal to the process and then to its group: one wish, and nobody's second one.
    private static func passOverTwins(of number: Int32) {
        usleep(50_000)
        var twins = sigset_t()
        sigemptyset(&twins)
        sigaddset(&twins, number)
        var now = timespec()
        sigtimedwait(&twins, nil, &now)
    }
}
