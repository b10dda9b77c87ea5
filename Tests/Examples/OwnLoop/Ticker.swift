import CFreshetUV
import Freshet

/// A timer of the program's own, in libuv's terms, that is a stream of numbers. It is used on the loop's thread alone.
final class Ticker: @unchecked Sendable {
    let ticks = PublishSubject<Int>()
    private let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
    private var count = 0

    init(on loop: UnsafeMutablePointer<uv_loop_t>, milliseconds: UInt64) {
        uv_timer_init(loop, timer)
        // The handle holds the ticker until it is closed.
        timer.pointee.data = Unmanaged.passRetained(self).toOpaque()
        uv_timer_start(timer, { Ticker.of($0!).takeUnretainedValue().tick() }, 0, milliseconds)
    }

    func stop() {
        let handle = UnsafeMutableRawPointer(timer).assumingMemoryBound(to: uv_handle_t.self)
        uv_close(handle) { closed in
            let timer = UnsafeMutableRawPointer(closed!).assumingMemoryBound(to: uv_timer_t.self)
            Ticker.of(timer).release()
            timer.deallocate()
        }
    }

    private func tick() {
        count += 1
        ticks.onNext(count)
    }

    private static func of(_ timer: UnsafeMutablePointer<uv_timer_t>) -> Unmanaged<Ticker> {
        .fromOpaque(timer.pointee.data)
    }
}
