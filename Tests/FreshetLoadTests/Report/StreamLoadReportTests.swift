import Foundation
import Freshet
import XCTest

@testable import FreshetLoad

final class StreamLoadReportTests: XCTestCase {
    private static let attack = "\"><script>alert('x')</script>&"

    private func outcome(open: Int = 1000, failing kinds: [String] = []) -> StreamLoadOutcome {
        var failures = LoadFailures()
        for kind in kinds { failures.record(LoadFailure(kind: kind, example: "it is said why: \(kind)")) }
        var latency = LatencyHistogram()
        var series = StreamSeries()
        for step in 0...50 {
            let count = min(open, open * step / 10)
            series.record(
                .init(time: Double(step) / 10, open: count, failed: 0, resident: 10_000 + count * 16))
            if count > 0 { latency.record(Int64(step) * 1_000_000) }
        }
        return StreamLoadOutcome(
            asked: 1000, open: open, openAtEnd: open, openSeconds: 1, residentPerStream: open == 0 ? nil : 16_384,
            openingCPU: 0.5,
            holdingCPU: 0.004, peakResident: 30_000, failures: failures, latency: latency,
            seconds: 5, residentBefore: 10_000, series: series)
    }

    private func report(
        _ outcome: StreamLoadOutcome, name: String = "run", earlier: [EarlierRun] = [], isInterrupted: Bool = false
    ) throws -> String {
        let run = ReportedRun(
            name: name, request: try Request(.get, "http://h/events?key=s3cret"),
            date: Date(timeIntervalSince1970: 0), isInterrupted: isInterrupted, earlier: earlier, machine: "4 cores")
        let plan = StreamLoadPlan(streams: 1000, concurrency: 64, duration: .seconds(4), timeout: .seconds(60))
        return StreamLoadReport(run, plan, outcome).html
    }

    func testTheReportContainsStreamsMemoryAndErrors() throws {
        let html = try report(outcome())
        for text in [
            "run: 1,000 open streams", "opened, of 1,000", "64 opened at a time", "held for 4.00 s", "5.00 s in all",
            "16.4 kB", "1,000 a second", "4.00 ms", "0.10 % of a core", "None: all 1,000 streams were opened",
            "4.90 s: 1,000 open", "26.6 MB, 16.4 kB a stream", "streams by latency",
        ] {
            XCTAssertTrue(html.contains(text), text)
        }
        XCTAssertFalse(html.contains("s3cret"))
    }

    func testErrorsAreReportedAndEscaped() throws {
        let html = try report(outcome(failing: ["timeout", "timeout", Self.attack]), name: Self.attack)
        XCTAssertTrue(html.contains("0.30 % of the streams"))
        XCTAssertTrue(html.contains("it is said why: timeout"))
        XCTAssertFalse(html.contains("<script>alert"))
    }

    func testEachOpenedElementIsClosed() throws {
        var empty = outcome(open: 0)
        empty.series = nil
        empty.latency = LatencyHistogram()
        let earlier = try EarlierRun.all(
            inText: #"{"name": "a", "open_s": 2, "rss_bytes_per_stream": 9000, "cpu_s": 0}"#, ComparedFigure.streams)
        for html in [
            try report(outcome()), try report(outcome(failing: ["ended"]), earlier: earlier),
            try report(empty, isInterrupted: true),
        ] {
            XCTAssertEqual(html.openElements, [], "in \(html)")
            XCTAssertFalse(html.contains("nan"))
        }
    }

    func testTheReportComparesEarlierRunsOfStreams() throws {
        let earlier = try EarlierRun.all(
            inText: """
                {"name": "other", "open_s": 2, "rss_bytes_per_stream": 8192}
                {"name": "other", "open_s": 4, "rss_bytes_per_stream": 8192}
                """, ComparedFigure.streams)
        let html = try report(outcome(), earlier: earlier)
        XCTAssertTrue(html.contains("<output>3.00 s <small>3.00×</small></output>"))
        XCTAssertTrue(html.contains("<output>8.19 kB <small>0.50×</small></output>"))
        XCTAssertFalse(html.contains("CPU time to hold them"), "none of them tells it")
    }

    func testRunsOfTheOtherKindAreLeftOutOfAComparison() throws {
        let text = """
            {"name": "streams", "open_s": 2, "rss_bytes_per_stream": 8192}
            {"name": "load", "rps": 5}
            """
        XCTAssertEqual(try EarlierRun.all(inText: text, ComparedFigure.streams).map(\.name), ["streams"])
        XCTAssertEqual(try EarlierRun.all(inText: text, ComparedFigure.load).map(\.name), ["load"])
        let load = String(text.split(separator: "\n")[1])
        XCTAssertThrowsError(try EarlierRun.all(inText: load, ComparedFigure.streams)) { error in
            XCTAssertTrue("\(error)".contains("has no run to compare"), "\(error)")
        }
        XCTAssertThrowsError(try EarlierRun.all(inText: #"{"name": "a"}"#, ComparedFigure.streams))
    }
}
