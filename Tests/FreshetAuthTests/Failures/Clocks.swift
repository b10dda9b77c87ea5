import Foundation
import FreshetCore
import FreshetTesting

/// The server's clock and the device's clock, which may be wrong.
/// Both continue while the device sleeps. The monotonic clock, which is the scheduler's, stops meanwhile.
final class Clocks: Sendable {
    /// The monotonic clock, in milliseconds.
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private let slept = Locked(0.0)
    private let error = Locked(0.0)

    /// The right time, in seconds since 1970.
    var server: Double { 1_700_000_000 + scheduler.now.sinceStart / .seconds(1) + slept.withLock { $0 } }
    /// The time that the device's clock shows, in seconds since 1970.
    var device: Double { server + error.withLock { $0 } }

    /// Suspends the device.
    func sleep(_ seconds: Double) { slept.withLock { $0 += seconds } }

    /// Makes the device's clock differ from the server's by `seconds`.
    func set(wrongBy seconds: Double) { error.withLock { $0 = seconds } }

    /// The time in the format of a `Date` field.
    static func field(_ secondsSince1970: Double) -> String {
        var time = time_t(secondsSince1970)
        var parts = tm()
        gmtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 64)
        let length = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
