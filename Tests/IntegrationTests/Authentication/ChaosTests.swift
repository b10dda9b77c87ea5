import Foundation
import FreshetTesting
import XCTest

/// Combines the causes of the recorded failures in one run. `FRESHET_CHAOS` sets its length in seconds, and
/// `FRESHET_CHAOS_SEED` repeats a run.
final class ChaosTests: CommandLineTestCase {
    func testInAChaosNothingIsLostDoubledSpentTwiceOrTold() throws {
        signal(SIGPIPE, SIG_IGN)
        let environment = ProcessInfo.processInfo.environment
        let seconds = environment["FRESHET_CHAOS"].flatMap { Double($0) } ?? 4
        let seed = environment["FRESHET_CHAOS_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
        print("chaos: seed \(seed), \(seconds) s")
        let directory = try temporaryDirectory()
        let run = try ChaosRun(
            seed: seed, seconds: seconds, store: .file(directory.appendingPathComponent("store.json").path),
            directory: directory)
        var pace = SplitMix64(seed: seed)
        let end = ContinuousClock.now + .seconds(seconds)
        // On a slow machine a token outlives a short run.
        while ContinuousClock.now < end || (!run.hasRefreshed && ContinuousClock.now < end + .seconds(60)) {
            try run.step()
            usleep(UInt32.random(in: 10_000...50_000, using: &pace))
        }
        run.finish()
        let report = run.report
        print(report)
        XCTAssertEqual(Array(report.faults.prefix(20)), [], "\(report.faults.count) in all, with seed \(seed)")
        XCTAssertGreaterThan(report.succeeded, 0)
        XCTAssertGreaterThan(report.counts.refreshes, 0)
        XCTAssertLessThan(report.programs.descriptors, 128)
        XCTAssertLessThan(report.programs.residentKilobytes, 256 << 10)
    }
}
