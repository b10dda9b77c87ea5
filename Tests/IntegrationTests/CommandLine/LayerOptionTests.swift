import Foundation
import Freshet
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// The options for layers, apart from the cache.
final class LayerOptionTests: CommandLineTestCase {
    func testIdenticalRequestsThatAreUnderWayAreOne() throws {
        server.route(.get, "/a") { [loop] request in
            .later(
                Single<Int>.timer(.milliseconds(300), scheduler: LoopScheduler(loop!)).map { _ in
                    ScriptedResponse(body: "\(request.number)")
                })
        }
        let input = String(repeating: "{\"url\": \"\(server.url)/a\"}\n", count: 5)
        let result = try freshet("run", "--coalesce", input: input)
        XCTAssertEqual(result.objects.map { $0["body"] as? String }, Array(repeating: "1", count: 5))
        XCTAssertEqual(server.requests.count, 1)
    }

    func testARateIsKeptAndAWaitThatIsTooLongFailsAtOnce() throws {
        server.route(.get, "/a") { _ in ScriptedResponse() }
        let input = String(repeating: "{\"url\": \"\(server.url)/a\"}\n", count: 4)
        let start = ContinuousClock.now
        let result = try freshet("run", "--rate-limit", "10/s", input: input)
        XCTAssertEqual(result.status, 0, result.complaints)
        XCTAssertGreaterThan(ContinuousClock.now - start, .milliseconds(290))
        let slow = try freshet("run", "--rate-limit", "1/m", "--timeout", "5", input: input)
        let codes = slow.objects.compactMap { ($0["error"] as? [String: Any])?["code"] as? String }
        XCTAssertEqual(codes, ["overloaded", "overloaded", "overloaded"])
        XCTAssertEqual(try freshet("run", "--rate-limit", "auto", input: input).status, 0)
        for words in [
            ["--rate-limit", "0/s"], ["--rate-limit", "5"], ["--burst", "2"], ["--rate-limit", "5/s", "--burst", "0"],
        ] {
            XCTAssertEqual(try freshet(["run"] + words).status, 2, "\(words)")
        }
    }

    func testAHostOfTheFileIsAskedByHTTPS() throws {
        let path = try temporaryFile("a.test \"unlimited\"\n", named: "hsts")
        let result = try freshet(
            "get", "http://a.test:\(server.url.split(separator: ":").last!)/", "--hsts", path, "--timeout", "1",
            "--resolve",
            "a.test:\(server.url.split(separator: ":").last!):127.0.0.1")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.complaints.contains("https://a.test"), result.complaints)
    }
}
