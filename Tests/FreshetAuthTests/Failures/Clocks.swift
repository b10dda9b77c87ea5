import Foundation
import FreshetCore
import FreshetTesting

/// The server's clock and the device's, which may be wrong; both go on while the device sleeps, and its monotonic clock,
/// the scheduler's, stands.
final class Clocks: Sendable {
    /// In milliseconds.
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private let slept = Locked(0.0)
    private let error = Locked(0.0)

    /// The right time, in seconds since 1970.
    var server: Double { 1_700_000_000 + scheduler.now.sinceStart / .seconds(1) + slept.withLock { $0 } }
    /// What the device takes for the time.
    var device: Double { server + error.withLock { $0 } }

    /// Suspends the device.
    func sleep(_ seconds: Double) { slept.withLock { $0 += seconds } }

    /// Sets the device's clock wrong.
    func set(wrongBy seconds: Double) { error.withLock { $0 = seconds } }

    /// As a `Date` field has it.
    static func field(_ secondsSince1970: Double) -> String {
        var time = time_t(secondsSince1970)
        var parts = tm()
        gmtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 64)
        let length = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
