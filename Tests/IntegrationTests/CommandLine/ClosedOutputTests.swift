import Foundation
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that a failure decides the exit status although nobody reads the standard output any more.
final class ClosedOutputTests: SignInTestCase {
    private func withClosedOutput(
        _ words: [String], input: String = "", environment: [String: String] = [:]
    ) throws -> FreshetResult {
        let run = try FreshetProcess(words, environment: environment)
        try run.output.fileHandleForReading.close()
        try run.write(input)
        try run.input.fileHandleForWriting.close()
        return run.result(readingOutput: false)
    }

    func testALoginWhoseEventsNobodyReadsIsStored() throws {
        let environment = try browser(#"curl -s -L -o /dev/null "$1""#)
        let result = try withClosedOutput(
            ["login", "--config", config(), "--profile", "p", "--browser", "--json"], environment: environment)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertFalse(result.errorOutput.contains("note: the credential"), result.errorOutput)
        XCTAssertNotNil(try stored()["access_token"])
    }

    func testTheErrorOfALoginIsReportedAlthoughItsLineCannotBeWritten() throws {
        for json in [["--json"], []] {
            let result = try withClosedOutput(
                ["login", "--config", config(), "--profile", "p", "--access-token", "-"] + json)
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(result.errorOutput.contains("the access token is missing"), result.errorOutput)
        }
    }

    func testStatusOfAnEmptyStoreIs1() throws {
        XCTAssertEqual(try withClosedOutput(["status", "--config", config(), "--profile", "p"]).status, 1)
    }

    func testABenchmarkWithErrorsEndsWith1() throws {
        server.route(.get, "/") { _ in ScriptedResponse(status: .internalServerError) }
        for words in [[], ["--json"], ["--report", "-"]] {
            let result = try withClosedOutput(["bench", url, "-n", "3", "-c", "1"] + words)
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(result.errorOutput.contains("3 of 3 requests failed"), result.errorOutput)
        }
    }

    func testAGetWhoseStatusIsKnownEndsWith22() throws {
        server.enqueue(
            ScriptedResponse(status: .notFound, body: String(repeating: "a", count: 8 << 20)))
        let run = try FreshetProcess(["get", url])
        _ = run.output.fileHandleForReading.readData(ofLength: 10)
        try run.output.fileHandleForReading.close()
        let result = run.result(readingOutput: false)
        XCTAssertEqual(result.status, 22)
        XCTAssertEqual(
            result.errorOutput, "freshet: status: the server responded with 404 (receiving the response, GET \(url)/)\n"
        )
    }

    func testARunWithALineThatHasFailedEndsWith1() throws {
        server.route(.get, "/") { _ in ScriptedResponse() }
        let run = try FreshetProcess(["run"])
        try run.write("nonsense\n")
        _ = run.output.fileHandleForReading.availableData
        try run.output.fileHandleForReading.close()
        let result = run.result(readingOutput: false)
        XCTAssertEqual(result.status, 1)
        XCTAssertEqual(result.errorOutput, "")
    }
}
