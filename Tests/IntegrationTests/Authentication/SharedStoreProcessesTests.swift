import Foundation
import Freshet
import FreshetHTTPTesting
import XCTest

/// Tests programs that share one credential in a file.
final class SharedStoreProcessesTests: CommandLineTestCase {
    // Duende Support #1286: replica B waited for the lock and refreshed with a token that it had read before.
    func testSixProcessesWithOneFileRefreshOnceForEachExpiry() throws {
        let processes = 6
        let requests = 300
        // The number of expiries is the number of replays that a request has. A token serves a fixed number of requests, so
        // that a program that the machine stops for a moment finds each new token used up by the other programs.
        let expiries = 2
        var rules = TokenServer.Rules()
        rules.expiry = .evenlySpread(overRequests: processes * requests, expiries: expiries)
        rules.refreshDelay = .milliseconds(20)
        let server = try TokenServer(on: loop, rules: rules)
        atTheEnd { server.close() }
        let tokens = server.signIn()
        let store = try temporaryFile(
            """
            {"access_token": "\(tokens.accessToken)", "refresh_token": "\(tokens.refreshToken ?? "")", "version": 1}
            """, named: "store.json")
        let config = try temporaryFile(
            """
            {"profiles": {"p": {"origins": ["\(server.url)"], "store": "file:\(store)",
             "refresh": {"url": "\(server.tokenURL)", "client_id": "cli"}}}}
            """, named: "config.json")
        let input = (0..<requests).map { "{\"id\": \($0), \"url\": \"\(server.url)/\($0)\"}\n" }.joined()
        let runs = try (0..<processes).map { _ in
            try FreshetProcess(["run", "--concurrency", "16", "--config", config, "--profile", "p"])
        }
        for run in runs {
            let writing = run.input.fileHandleForWriting
            DispatchQueue.global().async {
                try? writing.write(contentsOf: Data(input.utf8))
                try? writing.close()
            }
        }
        for run in runs {
            let result = run.result()
            XCTAssertEqual(result.status, 0, result.errorOutput)
            XCTAssertEqual(
                result.objects.filter { $0["status"] as? Int == 200 }.count, requests,
                "\(result.objects.first { $0["status"] as? Int != 200 } ?? [:])")
        }
        XCTAssertEqual(server.counts.expiries, expiries)
        XCTAssertEqual(server.counts.refreshes, expiries)
        XCTAssertEqual(server.counts.refusals, 0)
        XCTAssertEqual(server.counts.accepted, processes * requests)
    }
}
