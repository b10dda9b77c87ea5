import CFreshetSystem
import Foundation
import Freshet

/// A timer on a loop, with a precision of one microsecond. A timer of the loop has a precision of one
/// millisecond, and its delay would count as latency of the requests.
///
/// Used on the loop alone.
final class PreciseTimer {
    private let handler: () -> Void
    private var descriptor: Int32 = -1
    private var poll: LoopPoll?

    /// - Throws: `LoopError` if no descriptor is left.
    init(on loop: Loop, handler: @escaping () -> Void) throws {
        self.handler = handler
        descriptor = timerfd_create(CLOCK_MONOTONIC, O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw LoopError(code: -errno) }
        do {
            poll = try LoopPoll(on: loop, fd: descriptor, events: .readable) { [unowned self] _ in fired() }
        } catch {
            Foundation.close(descriptor)
            throw error
        }
    }

    func start(at due: Instant) {
        guard poll != nil else { return }
        let nanoseconds = max(1, due.sinceStart.wholeNanoseconds)
        var time = itimerspec()
        time.it_value = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        // The loop's clock is the monotonic clock of the system.
        timerfd_settime(descriptor, freshet_timer_absolute, &time, nil)
    }

    func close() {
        poll?.close()
        if poll != nil { Foundation.close(descriptor) }
        poll = nil
    }

    private func fired() {
        var times: UInt64 = 0
        _ = Foundation.read(descriptor, &times, 8)
        handler()
    }
}
