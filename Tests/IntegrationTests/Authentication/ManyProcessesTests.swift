import Foundation
import Freshet
import FreshetHTTPTesting
import XCTest

/// Tests programs that share one credential in a store, and that all find at the same moment that it has expired.
///
/// `FRESHET_PROCESSES=50` runs 50 programs and prints how long the rounds took. Without it there are fewer programs.
final class ManyProcessesTests: ProfileTestCase {
    // Duende Support #1286: replica B waited for the lock and refreshed with a token that it had read before.
    func testManyProcessesRefreshOnceForEachOfTenExpiriesAndLoseNothing() throws {
        let configuredCount = ProcessInfo.processInfo.environment["FRESHET_PROCESSES"].flatMap { Int($0) }
        let rounds = try expire(.file, processes: configuredCount ?? 12, expiries: 10, requests: 20)
        guard configuredCount != nil else { return }
        print("rounds of", rounds.map { "\(Int($0 / .milliseconds(1))) ms" }.joined(separator: ", "))
    }

    func testTwentyProcessesWithOneSealedStoreRefreshOnce() throws { try expire(.sealedWithACredential) }
    func testTwentyProcessesWithOneStoreInTheKeyringRefreshOnce() throws { try expire(.keyring) }
    func testTwentyProcessesWithOneHelperStoreRefreshOnce() throws { try expire(.helper) }

    /// - Returns: the durations of the rounds.
    @discardableResult
    private func expire(
        _ kind: StoreKind, processes: Int = 20, expiries: Int = 1, requests: Int = 4
    ) throws -> [Duration] {
        var rules = TokenServer.Rules()
        // Each round uses up a token to its last request, so that the next round begins without a valid token.
        rules.expiry = .afterUses(Array(repeating: processes * requests, count: expiries))
        rules.refreshDelay = .milliseconds(20)
        let server = try tokenServer(rules)
        let store = try StoreSite(kind, in: self)
        let config = try profile(
            server, store: store.location,
            refresh: "{\"url\": \"\(server.tokenURL)\", \"client_id\": \"cli\", \"limit\": 20}")
        try logIn(to: server, config, environment: store.environment)
        let children = try (0..<processes).map { _ in try ChildProcess(config, store.environment) }
        var rounds: [Duration] = []
        for round in 0...expiries {
            let start = ContinuousClock.now
            for child in children { try child.send(server.url, times: requests) }
            for child in children {
                let statuses = try child.statuses(requests)
                XCTAssertEqual(statuses, Array(repeating: 200, count: requests), "in round \(round)")
            }
            rounds.append(ContinuousClock.now - start)
            XCTAssertEqual(server.counts.refreshes, round)
        }
        for child in children { XCTAssertEqual(try child.end(), 0) }
        XCTAssertEqual(server.counts.expiries, expiries)
        XCTAssertEqual(server.counts.refusals, 0)
        XCTAssertEqual(server.counts.accepted, processes * requests * (expiries + 1))
        XCTAssertEqual(try store.record()["version"] as? Int, 1 + expiries)
        return rounds
    }
}

/// A `freshet run` that gets requests and writes responses while it runs.
private final class ChildProcess {
    private let run: FreshetProcess
    private var unread = Data()

    init(_ config: String, _ environment: [String: String]) throws {
        run = try FreshetProcess(
            ["run", "--concurrency", "16", "--config", config, "--profile", "p"], environment: environment)
    }

    func send(_ url: String, times: Int) throws {
        try run.write(String(repeating: "{\"url\": \"\(url)/\"}\n", count: times))
    }

    func statuses(_ count: Int) throws -> [Int] {
        try (0..<count).map { _ in
            while !unread.contains(UInt8(ascii: "\n")) {
                let more = run.output.fileHandleForReading.availableData
                if more.isEmpty { return 0 }
                unread += more
            }
            let line = unread.prefix { $0 != UInt8(ascii: "\n") }
            unread = Data(unread.dropFirst(line.count + 1))
            let response = try JSONSerialization.jsonObject(with: line) as? [String: Any]
            return response?["status"] as? Int ?? 0
        }
    }

    /// - Returns: the exit status.
    func end() throws -> Int32 {
        try run.input.fileHandleForWriting.close()
        return run.result().status
    }
}
