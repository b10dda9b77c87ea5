import Foundation
import FreshetHTTPTesting
import XCTest

/// Ends `freshet run` by a signal while its requests are under way.
final class InterruptedRunTests: CommandLineTestCase {
    private func lines(_ count: Int) -> String {
        (0..<count).map { #"{"id": \#($0), "url": "\#(server.url)/", "method": "POST", "body": "a"}"# + "\n" }.joined()
    }

    func testEachRequestUnderWayGetsALine() throws {
        server.route { _ in .silence }
        let cases: [(Int32, Int32, [String])] = [
            (SIGINT, 130, []), (SIGINT, 130, ["--ordered"]), (SIGTERM, 143, []), (SIGHUP, 129, []),
        ]
        for (count, (signal, status, options)) in cases.enumerated() {
            let run = try FreshetProcess(["run", "--concurrency", "3"] + options)
            try run.write(lines(5))
            waitUntil("the requests are there") { server.requestCount == 3 * (count + 1) }
            kill(run.process.processIdentifier, signal)
            let result = run.result()
            XCTAssertEqual(result.status, status)
            XCTAssertEqual(Set(result.objects.map { $0["id"] as? Int }), [0, 1, 2], result.text)
            XCTAssertEqual(result.lines.count, 3)
            for object in result.objects {
                XCTAssertEqual((object["error"] as? [String: String])?["code"], "cancelled")
                XCTAssertTrue(object["status"] is NSNull)
                XCTAssertEqual(object["attempts"] as? Int, 1)
            }
            XCTAssertEqual(result.errorOutput, "")
        }
    }

    func testAnOutputThatNobodyReadsDelaysTheEndOnlyBriefly() throws {
        server.route { _ in ScriptedResponse(body: String(repeating: "a", count: 100_000)) }
        let run = try FreshetProcess(["run", "--concurrency", "2"])
        try run.write(lines(50))
        waitUntil("something is asked") { server.requestCount > 0 }
        waitUntilStill("the requests") { server.requestCount }
        let began = ContinuousClock.now
        run.process.interrupt()
        XCTAssertEqual(run.result(readingOutput: false).status, 130)
        XCTAssertLessThan(ContinuousClock.now - began, .seconds(10))
    }
}
