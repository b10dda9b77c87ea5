import Foundation
import Freshet
import XCTest

@testable import FreshetLoad

final class LoadReportTests: XCTestCase {
    private static let attack = "\"><script>alert('x')</script>&"

    private func report(
        _ tally: LoadTally, name: String = "run", url: String = "http://h/a", earlier: [EarlierRun] = [],
        isInterrupted: Bool = false, rate: Double? = nil
    ) throws -> String {
        let plan = LoadPlan(requests: nil, duration: .seconds(1), concurrency: 8, rate: rate)
        let outcome = LoadOutcome(tally: tally, seconds: 1, cpu: 0.5, peakResident: 20_000)
        let run = ReportedRun(
            name: name, request: try Request(.get, url), date: Date(timeIntervalSince1970: 0),
            isInterrupted: isInterrupted, earlier: earlier, machine: "4 cores")
        return LoadReport(run, plan, outcome).html
    }

    private func successfulTally() -> LoadTally {
        var tally = LoadTally(series: LoadSeries())
        for number: Int64 in 1...1000 {
            tally.responses += 1
            tally.latency.record(number * 10_000)
            tally.series?.record(at: number * 1_000_000, latency: number * 10_000, isFailure: false)
        }
        return tally
    }

    private func runs(_ text: String) throws -> [EarlierRun] {
        try EarlierRun.all(inText: text, ComparedFigure.load)
    }

    func testTextFromOutsideIsEscaped() throws {
        var tally = successfulTally()
        tally.failures.record(LoadFailure(kind: Self.attack, example: Self.attack))
        tally.series?.record(at: 5, latency: nil, isFailure: true)
        let earlier = try runs(#"{"name": "\"><script>alert('x')</script>&", "rps": 5, "cpu_us_per_request": 1}"#)
        let html = try report(tally, name: Self.attack, url: "http://h/%3Cscript%3E'", earlier: earlier)
        XCTAssertFalse(html.contains("<script>alert"))
        XCTAssertFalse(html.contains(Self.attack))
        XCTAssertEqual(html.components(separatedBy: "<script>").count, 2, "the page's own alone")
        XCTAssertGreaterThanOrEqual(
            html.components(separatedBy: "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;").count, 6)
    }

    func testTheReportOmitsTheQueryOfTheURL() throws {
        let html = try report(successfulTally(), url: "http://h/path?token=s3cret")
        XCTAssertTrue(html.contains("http://h/path"))
        XCTAssertFalse(html.contains("s3cret"))
    }

    func testTheReportLoadsNothingFromOutside() throws {
        let html = try report(successfulTally())
        XCTAssertTrue(html.contains("default-src 'none'"))
        for word in ["src=", "href=", "@import", "url("] { XCTAssertFalse(html.contains(word), word) }
    }

    func testTheReportContainsTheFiguresOfTheRun() throws {
        let html = try report(successfulTally())
        for text in [
            "closed loop, 8 at a time", "4 cores", "1 January 1970, 00:00 UTC", "1,000 in all", "<td>10.0 ms</td>",
            "<td>10.0 µs</td>",
            "20.5 MB", "None: all 1,000 requests got a response",
        ] {
            XCTAssertTrue(html.contains(text), text)
        }
        XCTAssertTrue(try report(successfulTally(), rate: 250).contains("open loop, 250 requests a second"))
    }

    func testEachOpenedElementIsClosed() throws {
        var failed = successfulTally()
        for kind in ["timeout", "status 503"] {
            failed.failures.record(LoadFailure(kind: kind, example: "it took too long"))
        }
        failed.series?.record(at: 10, latency: nil, isFailure: true)
        let earlier = try runs("{\"name\": \"a\", \"rps\": 5, \"cpu_us_per_request\": 1, \"p99_us\": 7}")
        for html in [
            try report(LoadTally()), try report(successfulTally(), isInterrupted: true),
            try report(failed, earlier: earlier),
        ] {
            XCTAssertEqual(html.openElements, [], "in \(html)")
            XCTAssertFalse(html.contains("nan"))
            XCTAssertFalse(html.contains("inf,"))
        }
    }

    func testARunWithoutResponsesIsReportedAsSuch() throws {
        let nothing = try report(LoadTally(series: LoadSeries()))
        XCTAssertTrue(nothing.contains("No request came to an end"))
        var tally = LoadTally(series: LoadSeries())
        tally.failures.record(LoadFailure(kind: "connect", example: "connect: no connection was made"))
        tally.series?.record(at: 5, latency: nil, isFailure: true)
        let failed = try report(tally)
        XCTAssertTrue(failed.contains("No request got a response, so there is no latency to show."))
        XCTAssertTrue(failed.contains("100 %"))
        XCTAssertTrue(failed.contains("connect: no connection was made"))
    }

    func testTheRateWithoutErrorsIsReportedToo() throws {
        XCTAssertFalse(try report(successfulTally()).contains("without an error"))
        var tally = successfulTally()
        for _ in 0..<500 {
            tally.failures.record(LoadFailure(kind: "connect", example: "connect: no connection was made"))
        }
        XCTAssertTrue(
            try report(tally).contains("requests a second, 1,500 in all; 1,000 a second without an error"))
    }

    func testALabelFitsInsideThePlotAndOverlapsNoOther() throws {
        let plot = Plot(
            title: "a", unit: "b", x: [], y: [], drawing: [],
            flags: [("p50", 0.7), ("p90", 0.8), ("p99", 0.9)].map { .init(part: $0.1, label: $0.0) })
        let html = plot.markup.text
        let offsets = try [
            "<i style=\"left:70%;height:4.05em\"><span>p50",
            "<i class=\"before\" style=\"left:90%;height:2.7em\"><span>p99",
            "<i class=\"before\" style=\"left:80%;height:1.35em\"><span>p90",
        ].map { try XCTUnwrap(html.range(of: $0), html).lowerBound }
        XCTAssertEqual(offsets, offsets.sorted())
    }

    func testAnInterruptedRunIsReportedAsSuch() throws {
        XCTAssertTrue(try report(successfulTally(), isInterrupted: true).contains("It was stopped by hand"))
        XCTAssertFalse(try report(successfulTally()).contains("It was stopped by hand"))
    }

    func testEarlierRunsOfOneNameAreMergedToTheirMedianAndSorted() throws {
        let earlier = try runs(
            """
            {"name": "slow", "rps": 10, "cpu_us_per_request": 90}
            {"name": "fast", "rps": 3000, "cpu_us_per_request": 2}
            {"name": "fast", "rps": 1000, "cpu_us_per_request": 1}
            {"name": "fast", "rps": 2000, "cpu_us_per_request": 3}
            """)
        let html = try report(successfulTally(), name: "own", earlier: earlier)
        let offsets = try ["<b>fast", "<b>own", "<b>slow"].map { try XCTUnwrap(html.range(of: $0)).lowerBound }
        XCTAssertEqual(offsets, offsets.sorted())
        XCTAssertTrue(html.contains("<output>2,000 <small>2.00×</small></output>"))
        XCTAssertTrue(html.contains("median of 3"))
        XCTAssertFalse(html.contains("<span>p99 latency</span>"), "none of them tells it")
    }

    func testAFigureThatIsNoNumberIsNotCompared() throws {
        XCTAssertThrowsError(try runs(#"{"name": "a", "rps": true}"#))
        XCTAssertThrowsError(try runs(#"{"name": "a", "rps": "5"}"#))
        XCTAssertEqual(try runs(#"{"name": "a", "rps": 1, "p99_us": true}"#).first?.values, ["rps": 1])
    }

    func testAFigureThatAnEarlierRunLacksIsNotCompared() throws {
        let html = try report(successfulTally(), earlier: try runs(#"{"name": "a", "rps": 5}"#))
        XCTAssertTrue(html.contains("Requests a second"))
        XCTAssertFalse(html.contains("CPU time a request"))
    }
}
