import Foundation
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests `freshet events` with a profile, against a server that ends streams with their tokens.
final class AuthenticatedEventsTests: ProfileTestCase {
    func testARefusedTokenIsRefreshedWhenTheStreamOpens() throws {
        let server = try tokenServer()
        let (config, _) = try loggedIn(server)
        server.expireTokens()
        let result = try freshet("events", server.eventsURL, "--limit", "3", "--config", config, "--profile", "p")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(result.objects.map { $0["id"] as? String }, ["1", "2", "3"])
        XCTAssertEqual(server.counts.refreshes, 1)
    }

    func testAStreamContinuesThroughExpiriesAndLosesNoEvent() throws {
        var rules = TokenServer.Rules()
        rules.eventInterval = .milliseconds(10)
        let server = try tokenServer(rules)
        let (config, store) = try loggedIn(server)
        let run = try FreshetProcess(
            ["events", server.eventsURL, "--limit", "500", "--config", config, "--profile", "p"])
        for expiry in 1...2 {
            waitUntil("stream \(expiry) runs") { server.counts.streams == expiry }
            Thread.sleep(forTimeInterval: 0.2)
            server.expireTokens()
        }
        let result = run.result()
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(result.objects.map { $0["id"] as? String }, (1...500).map { String($0) })
        XCTAssertEqual(server.counts.refreshes, 2)
        XCTAssertEqual(server.counts.streams, 3)
        XCTAssertEqual(server.counts.reuses, 0)
        XCTAssertEqual(try stored(store)["version"] as? Int, 3)
    }

    func testTokensWithAKnownExpiryAreReplacedWithoutAReconnectionDelay() throws {
        var rules = TokenServer.Rules(expiry: .after(.seconds(2)))
        rules.eventInterval = .milliseconds(10)
        let server = try tokenServer(rules)
        let (config, _) = try loggedIn(server)
        let result = try freshet("events", server.eventsURL, "--limit", "300", "--config", config, "--profile", "p")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(result.objects.map { $0["id"] as? String }, (1...300).map { String($0) })
        XCTAssertEqual(server.counts.reuses, 0)
        XCTAssertEqual(result.errorOutput, "")
    }

    func testARefusedRefreshFailsWithLoginRequired() throws {
        let server = try tokenServer()
        let (config, _) = try loggedIn(server)
        server.revokeSessions()
        let result = try freshet("events", server.eventsURL, "--config", config, "--profile", "p")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: login_required: "), result.errorOutput)
    }

    func testAFieldThatIsLeftOutIsNotAddedFromTheProfile() throws {
        let server = try tokenServer()
        let (config, _) = try loggedIn(server, extra: #", "headers": {"X-Api-Key": "k", "X-Other": "o"}"#)
        for verb in [["get"], ["events", "--no-reconnect"], ["bench", "--requests", "1"]] {
            _ = try freshet(verb + ["\(server.url)/a", "-H", "x-api-key:", "--config", config, "--profile", "p"])
            let fields = try XCTUnwrap(server.requests.last).headers
            XCTAssertNil(fields[.init("X-Api-Key")!], "\(verb)")
            XCTAssertEqual(fields[.init("X-Other")!], "o", "\(verb)")
            XCTAssertNotNil(fields[.authorization], "\(verb)")
        }
    }
}
