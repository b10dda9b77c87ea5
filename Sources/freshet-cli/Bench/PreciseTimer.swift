import Foundation
import Freshet

/// A timer on a loop that fires to the microsecond, where the system has one: the loop's own go by the millisecond, and a
/// request that begins that much too late would count it as latency.
///
/// It is used on the loop alone.
final class PreciseTimer {
    private typealias Create = @convention(c) (Int32, Int32) -> Int32
    private typealias Set =
        @convention(c) (
            Int32, Int32, UnsafePointer<itimerspec>, UnsafeMutablePointer<itimerspec>?
        ) -> Int32

    // The C library's module does not show them.
    private static let create = symbol("timerfd_create").map { unsafeBitCast($0, to: Create.self) }
    private static let set = symbol("timerfd_settime").map { unsafeBitCast($0, to: Set.self) }

    private static func symbol(_ name: String) -> UnsafeMutableRawPointer? { dlsym(nil, name) }

    private let loop: Loop
    private let handler: () -> Void
    private var descriptor: Int32 = -1
    private var poll: LoopPoll?
    private var coarse: LoopTimer?

    /// - Throws: `LoopError` if no descriptor is left.
    init(on loop: Loop, handler: @escaping () -> Void) throws {
        self.loop = loop
        self.handler = handler
        guard let create = Self.create, Self.set != nil else {
            coarse = LoopTimer(on: loop, handler: handler)
            return
        }
        descriptor = create(CLOCK_MONOTONIC, O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw LoopError(code: -errno) }
        poll = try LoopPoll(on: loop, fd: descriptor, events: .readable) { [unowned self] _ in fired() }
    }

    func start(at due: Instant) {
        guard let set = Self.set, poll != nil else { return coarse?.start(at: due) ?? () }
        let nanoseconds = max(1, due.sinceStart.wholeNanoseconds)
        var time = itimerspec()
        time.it_value = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        // The loop's clock is the system's monotonic one; 1 is TFD_TIMER_ABSTIME.
        _ = set(descriptor, 1, &time, nil)
    }

    func close() {
        coarse?.close()
        poll?.close()
        if poll != nil { Foundation.close(descriptor) }
        poll = nil
        coarse = nil
    }

    private func fired() {
        var times: UInt64 = 0
        _ = Foundation.read(descriptor, &times, 8)
        handler()
    }
}
