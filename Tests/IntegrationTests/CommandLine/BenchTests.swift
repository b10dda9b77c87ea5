import Foundation
import Freshet
import FreshetHTTPTesting
import XCTest

/// Tests what `freshet bench` sends, what it prints, and how it ends. Its speed depends on the machine and is not tested.
final class BenchTests: CommandLineTestCase {
    private func bench(_ arguments: String...) throws -> FreshetResult {
        try FreshetProcess(["bench", server.url] + arguments).result()
    }

    private func number(_ name: String, in line: [String: Any]) throws -> Double {
        try XCTUnwrap(line[name] as? Double, "\(name) in \(line)")
    }

    private func respondToAll(_ response: ScriptedResponse = ScriptedResponse(body: "four")) {
        server.route(.get, "/") { _ in response }
    }

    func testTheBenchmarkSendsTheRequestedNumberOfRequests() throws {
        respondToAll()
        let result = try bench("--requests", "250", "--concurrency", "8", "--json")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(result.errorOutput, "")
        XCTAssertEqual(server.requests.count, 250)
        XCTAssertLessThanOrEqual(server.acceptedConnections, 8)
        XCTAssertEqual(result.lines.count, 1)
        let line = try XCTUnwrap(result.objects.first)
        XCTAssertEqual(
            Set(line.keys),
            [
                "name", "requests", "seconds", "rps", "cpu_s", "cpu_us_per_request", "peak_rss_kb", "errors", "p50_us",
                "p99_us",
            ])
        XCTAssertEqual(line["name"] as? String, "freshet")
        XCTAssertEqual(line["requests"] as? Int, 250)
        XCTAssertEqual(line["errors"] as? Int, 0)
        XCTAssertEqual(try number("rps", in: line), 250 / (try number("seconds", in: line)), accuracy: 1)
        XCTAssertEqual(
            try number("cpu_us_per_request", in: line), try number("cpu_s", in: line) * 1e6 / 250, accuracy: 0.01)
        XCTAssertGreaterThan(try number("peak_rss_kb", in: line), 1000)
        XCTAssertGreaterThan(try number("p50_us", in: line), 0)
        XCTAssertLessThanOrEqual(try number("p50_us", in: line), try number("p99_us", in: line))
    }

    func testWithoutJSONTheBenchmarkWritesATable() throws {
        respondToAll()
        let result = try bench("-n", "100", "-c", "1")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertTrue(result.lines.first?.hasPrefix("requests") ?? false, result.text)
        XCTAssertTrue(result.text.contains("received      400 B"), result.text)
        for word in ["p50", "p99.9", "max", "CPU time", "memory", "connections"] {
            XCTAssertTrue(result.text.contains(word), "\(word) in \(result.text)")
        }
        XCTAssertEqual(server.acceptedConnections, 1)
        XCTAssertFalse(result.text.contains("\u{1B}"))
    }

    func testAnImpossibleWidthIsNoCrash() throws {
        respondToAll()
        for width in [Int.min, 0, .max] {
            let run = try FreshetProcess(["bench", server.url, "-n", "3"], environment: ["COLUMNS": "\(width)"])
            XCTAssertEqual(run.result().status, 0)
        }
    }

    func testTheBenchmarkSendsTheRequestOfTheOptions() throws {
        server.route(.put, "/things") { _ in ScriptedResponse(status: .created) }
        let result = try freshet(
            "bench", server.url + "/things", "--requests", "3", "-X", "PUT", "-H", "X-A: 1", "-d", "data", "--json",
            "--name", "put")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(result.objects.first?["name"] as? String, "put")
        XCTAssertEqual(server.requests.count, 3)
        for request in server.requests {
            XCTAssertEqual(request.headers[.init("X-A")!], "1")
            XCTAssertEqual(request.text, "data")
        }
    }

    /// `-d 3s` is how long to send requests for other load generators.
    func testABodyThatLooksLikeADurationIsRefusedUnlessItIsMeant() throws {
        for (value, seconds) in [("3s", "3"), ("30", "30"), ("1m", "60"), ("1.5h", "5400"), ("0.5", "0.5")] {
            let result = try bench("-d\(value)", "-c4")
            XCTAssertEqual(result.status, 2)
            XCTAssertTrue(
                result.errorOutput.hasPrefix(
                    "freshet: -d is the body of the requests; write --duration \(seconds) for how long to send them, "
                        + "or add -X POST to send \(value) as their body\n"), result.errorOutput)
        }
        XCTAssertEqual(server.requestCount, 0)
        server.route(.post, "/") { _ in ScriptedResponse() }
        for words in [
            ["-d", "3s", "-X", "POST"], ["-d", "3s", "-H", "content-type: text/plain"], ["-d", "3s", "-d", "a=b"],
            ["-d", "3s", "--data-raw", "a"], ["-d", "3s", "--duration", "9"], ["-d", "3ms"], ["-d", "0"],
            ["--data-raw", "3s"],
        ] {
            let result = try freshet(["bench", server.url, "-n", "1", "--json"] + words)
            XCTAssertEqual(result.status, 0, result.errorOutput)
            XCTAssertEqual(result.errorOutput, "", "\(words)")
        }
        XCTAssertEqual(server.requestCount, 8)
    }

    func testTheDurationEndsTheBenchmarkAndUnfinishedRequestsAreNotCounted() throws {
        respondToAll(.silence)
        let result = try bench("--duration", "0.2", "--concurrency", "3", "--json")
        XCTAssertEqual(result.status, 1, "no response is no success")
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: no request got a response; "), result.errorOutput)
        let line = try XCTUnwrap(result.objects.first)
        XCTAssertEqual(line["requests"] as? Int, 0)
        for name in ["cpu_us_per_request", "p50_us", "p99_us"] { XCTAssertTrue(line[name] is NSNull, name) }
        waitUntil("they are let go of") { self.server.abandoned.count == 3 }
    }

    func testAStatusFrom400AndAFailureAreErrors() throws {
        server.enqueue(
            ScriptedResponse(), ScriptedResponse(status: .notFound), ScriptedResponse(status: .serviceUnavailable),
            ScriptedResponse(status: .notFound), .raw("nonsense\r\n\r\n"))
        let result = try bench("--requests", "5", "--concurrency", "1")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(
            result.errorOutput.hasPrefix(
                "freshet: 4 of 5 requests failed, for example: the server responded with 404 to GET \(server.url)/"),
            result.errorOutput)
        for kind in ["status 404", "status 503", "protocol"] {
            XCTAssertTrue(result.lines.contains { $0.hasPrefix(kind) }, "\(kind) in \(result.text)")
        }
    }

    func testAnUnreachableServerIsAnError() throws {
        let result = try freshet("bench", "http://127.0.0.1:1/", "--requests", "4", "--json")
        XCTAssertEqual(result.status, 1)
        XCTAssertEqual(result.objects.first?["errors"] as? Int, 4)
        XCTAssertTrue(result.errorOutput.contains("connect: "), result.errorOutput)
        XCTAssertTrue(result.objects.first?["p50_us"] is NSNull)
    }

    func testWithARateRequestsBeginIndependentlyOfResponses() throws {
        let barrier = Barrier()
        respondToAll(ScriptedResponse(body: "late").pausing(after: 0, until: barrier))
        let run = try FreshetProcess([
            "bench", server.url, "--rate", "200", "--requests", "30", "--concurrency", "40", "--json",
        ])
        // All requests have arrived, and none of them has a response.
        waitUntil("all have been sent") { self.server.requests.count == 30 }
        barrier.release()
        let result = run.result()
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(result.objects.first?["requests"] as? Int, 30)
    }

    func testTheIntervalAfterTheLastRequestBelongsToTheDuration() throws {
        respondToAll()
        let result = try bench("--rate", "4", "--duration", "0.5", "--json")
        XCTAssertEqual(result.objects.first?["requests"] as? Int, 2)
        XCTAssertEqual(try XCTUnwrap(result.objects.first?["rps"] as? Double), 4, accuracy: 0.5)
    }

    func testADurationEndsARunWhoseRateTheServerCantReach() throws {
        server.route { _ in ScriptedResponse().after(.milliseconds(20)) }
        let result = try bench("--rate", "1000", "--duration", "0.5", "--concurrency", "1", "--json")
        XCTAssertLessThan(try number("requests", in: try XCTUnwrap(result.objects.first)), 100)
        XCTAssertLessThan(try number("seconds", in: try XCTUnwrap(result.objects.first)), 5)
    }

    func testTheWaitForAConnectionCountsAsLatency() throws {
        let barrier = Barrier()
        server.enqueue(ScriptedResponse(body: "late").pausing(after: 0, until: barrier))
        respondToAll()
        let run = try FreshetProcess([
            "bench", server.url, "--rate", "1000", "--requests", "20", "--concurrency", "1", "--json",
        ])
        waitUntil("the first has come") { self.server.requests.count == 1 }
        // The last request is due after 20 ms, which is less than this pause.
        let pause = Date(timeIntervalSinceNow: 0.1)
        waitUntil("the others are due") { Date() > pause }
        barrier.release()
        let line = try XCTUnwrap(run.result().objects.first)
        XCTAssertEqual(line["requests"] as? Int, 20)
        // If latency began at the turn of a request, half of the requests would have almost none.
        XCTAssertGreaterThan(try number("p50_us", in: line), 50_000)
    }

    func testAMissedRateCausesANoteBesideTheTableAndTheJSONLine() throws {
        for form in [[], ["--json"]] {
            let (barrier, before) = (Barrier(), server.requestCount)
            server.enqueue(
                ScriptedResponse(body: "soon"), ScriptedResponse(body: "late").pausing(after: 0, until: barrier))
            respondToAll()
            let run = try FreshetProcess(["bench", server.url, "--rate", "1000", "-n", "20", "-c", "1"] + form)
            waitUntil("the second has come") { self.server.requestCount == before + 2 }
            // A shorter run has no note.
            let pause = Date(timeIntervalSinceNow: 1.1)
            waitUntil("the run is long enough") { Date() > pause }
            barrier.release()
            let result = run.result()
            XCTAssertEqual(result.status, 0)
            XCTAssertNotNil(
                result.errorOutput.wholeMatch(
                    of:
                        /freshet: note: \d+ (requests per second were|request per second was) sent, fewer than --rate asks for; .+\n/
                ),
                result.errorOutput)
        }
    }

    func testLoopsShareTheLoad() throws {
        respondToAll()
        for more in [["--requests", "101"], ["--rate", "5000", "--requests", "101"]] {
            let run = try FreshetProcess(["bench", server.url, "--loops", "3", "--concurrency", "7", "--json"] + more)
            let result = run.result()
            XCTAssertEqual(result.status, 0, result.errorOutput)
            XCTAssertEqual(result.objects.first?["requests"] as? Int, 101)
        }
        XCTAssertEqual(server.requests.count, 202)
        XCTAssertLessThanOrEqual(server.acceptedConnections, 14)
    }

    func testAnInterruptEndsTheBenchmarkAndReportsTheResults() throws {
        respondToAll()
        let run = try FreshetProcess(["bench", server.url, "--duration", "600", "--concurrency", "2", "--json"])
        waitUntil("it is under way") { self.server.requests.count > 20 }
        run.process.interrupt()
        let result = run.result()
        XCTAssertEqual(result.status, 130)
        XCTAssertGreaterThan(result.objects.first?["requests"] as? Int ?? 0, 10)
    }

    func testTwoSignalsAtOnceEndTheBenchmarkLikeOne() throws {
        respondToAll()
        let run = try FreshetProcess(["bench", server.url, "--duration", "600", "-c", "2", "--json"])
        waitUntil("it is under way") { self.server.requests.count > 20 }
        for _ in 0..<2 { run.process.interrupt() }
        let result = run.result()
        XCTAssertEqual(result.status, 130)
        XCTAssertGreaterThan(result.objects.first?["requests"] as? Int ?? 0, 10)
    }

    /// Otherwise the wait for a connection would look like the latency of the server.
    func testALowLimitOfOpenFilesCausesANote() throws {
        respondToAll()
        for (requests, isLow) in [("100", true), ("9", false)] {
            let result = try FreshetProcess(["bench", server.url, "-n", requests, "-c", "100"], openFiles: 64).result()
            XCTAssertEqual(result.errorOutput.contains("raise it with ulimit -n"), isLow, result.errorOutput)
        }
    }

    func testTheReportIsSelfContainedAndAppearsWhenItIsComplete() throws {
        respondToAll()
        let earlier = try temporaryFile(
            """
            {"name": "peer", "rps": 100, "cpu_us_per_request": 9.5, "p99_us": 1200}

            {"name": "peer", "rps": 300}

            """)
        let page = try temporaryDirectory().appendingPathComponent("page.html").path
        let result = try bench(
            "--requests", "20", "--report", page, "--compare", earlier, "--name", "a <b>", "--json")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(result.objects.count, 1)
        let html = try String(contentsOfFile: page, encoding: .utf8)
        XCTAssertTrue(html.hasPrefix("<!doctype html>") && html.hasSuffix("</html>\n"))
        for text in ["a &lt;b&gt;", "median of 2"] { XCTAssertTrue(html.contains(text), text) }
        for text in ["a <b>", "src="] { XCTAssertFalse(html.contains(text), text) }
        let output = try bench("--requests", "2", "--report", "-")
        XCTAssertTrue(output.text.hasPrefix("<!doctype html>"))
    }

    func testTheReportIsWrittenEvenIfTheOutputIsClosed() throws {
        respondToAll()
        let page = try temporaryDirectory().appendingPathComponent("page.html").path
        let run = try FreshetProcess(["bench", server.url, "--requests", "5", "--report", page], redirection: ">&-")
        XCTAssertEqual(run.result().status, 1, "the output is closed, which is told")
        XCTAssertTrue(FileManager.default.fileExists(atPath: page))
    }

    func testAnInvalidEarlierRunIsAnErrorBeforeAnythingIsSent() throws {
        respondToAll()
        let page = try temporaryDirectory().appendingPathComponent("page.html").path
        for (text, reason) in [
            ("{\"name\": \"a\", \"rps\": 1}\nnonsense", "line 2 of "), ("{\"rps\": 1}", "it has no name"),
            ("{\"name\": \"a\"}", "it has no rps"), ("[]", "it is no object"),
        ] {
            let result = try bench("--requests", "1", "--report", page, "--compare", try temporaryFile(text))
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: invalid_request: "), result.errorOutput)
            XCTAssertTrue(result.errorOutput.contains(reason), result.errorOutput)
        }
        XCTAssertEqual(server.requests.count, 0)
        XCTAssertFalse(FileManager.default.fileExists(atPath: page))
    }
}
