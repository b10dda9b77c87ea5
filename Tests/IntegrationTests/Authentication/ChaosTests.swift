import Foundation
import FreshetTesting
import StoreKinds
import XCTest

/// Combines the causes of the recorded failures in one run. `FRESHET_CHAOS` sets its length in seconds, and
/// `FRESHET_CHAOS_SEED` repeats a run.
final class ChaosTests: CommandLineTestCase {
    private let environment = ProcessInfo.processInfo.environment
    private var seconds: Double { environment["FRESHET_CHAOS"].flatMap { Double($0) } ?? 4 }

    private func seed() -> UInt64 {
        environment["FRESHET_CHAOS_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
    }

    func testChaosOfRefreshesLosesRepeatsAndLeaksNothing() throws {
        let directory = try temporaryDirectory()
        // In a long run an endpoint may hang for longer than the deadline of a refresh.
        let plan = ChaosPlan(longestHang: seconds >= 120 ? .seconds(33) : .seconds(1))
        try run(plan, .file(directory.appendingPathComponent("store.json").path), directory, seed: seed())
    }

    /// The key is in the keyring for every other seed, where the kernel permits the keyring.
    func testChaosOfSignInsWithLostKeysLosesRepeatsAndLeaksNothing() throws {
        let directory = try temporaryDirectory()
        let path = directory.resolvingSymlinksInPath().appendingPathComponent("store").path
        let seed = seed()
        let keyring = seed.isMultiple(of: 2) ? try? TestKeyring() : nil
        if let keyring { atTheEnd(keyring.remove) }
        let store = try keyring.map { try ChaosStore.sealed(path, in: $0) } ?? .sealed(path, keyFile: path + ".key")
        try run(.signIn, store, directory, seed: seed)
    }

    private func run(_ plan: ChaosPlan, _ store: ChaosStore, _ directory: URL, seed: UInt64) throws {
        signal(SIGPIPE, SIG_IGN)
        print("chaos: seed \(seed), \(seconds) s, \(plan.programs) programs, \(store.location.prefix { $0 != "/" })")
        let run = try ChaosRun(seed: seed, plan: plan, store: store, directory: directory)
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
