import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests which of the recorded responses a replay gives to a request.
final class RecordedOrderTests: RecordingTestCase {
    /// An entry is written when its response ends, so the replay gave the quick response to the first request.
    func testEqualRequestsThatOverlapGetTheirResponsesInTheOrderInWhichTheyBegan() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        func bodies(_ mode: HTTPRecording.Mode, _ server: StubTransport) throws -> [String?] {
            // Both requests begin in one millisecond.
            let clock = Locked(784_111_777.0)
            let recording = try HTTPRecording(
                at: path, mode: mode, scheduler: scheduler,
                secondsSince1970: {
                    clock.withLock { clock in
                        clock += 0.00001
                        return clock
                    }
                })
            let client = HTTPClient(transport: server, scheduler: scheduler, layers: [recording])
            let request = try Request(.get, "https://api.example/a")
            let bodies = Locked<[Int: String]>([:])
            let subscriptions = (0..<2).map { number in
                client.send(request).subscribe(onSuccess: { response in
                    bodies.withLock { $0[number] = response.text }
                })
            }
            scheduler.advanceBy(10_000)
            for subscription in subscriptions { subscription.dispose() }
            return bodies.withLock { bodies in (0..<2).map { bodies[$0] } }
        }
        let server = StubTransport(scheduler: scheduler)
        let late = Observable.just(Array("slow".utf8)).delaySubscription(.seconds(1), scheduler: scheduler)
        server.enqueue(.streaming(late), ScriptedResponse(body: "quick"))
        XCTAssertEqual(try bodies(.record, server), ["slow", "quick"])
        XCTAssertEqual(try bodies(.replay, StubTransport(scheduler: scheduler)), ["slow", "quick"])
    }

    /// Source: HAR 1.2, which lets a program write entries in any order.
    func testEqualEntriesOfAnotherProgramAreSortedByTheirTimes() throws {
        try write([
            ("https://api.example/a", "2026-11-20T09:00:03Z", "3"),
            ("https://api.example/a", "2026-11-20T10:00:01.000+01:00", "1"),
            ("https://api.example/a", "2026-11-20T09:00:02.123456Z", "2"),
        ])
        let replay = try RecordingBench(path, .replay)
        XCTAssertEqual(try (1...3).map { _ in try replay.get("/a") }, ["200 1", "200 2", "200 3"])
    }

    func testEntriesWithTimesThatAreNoneStayInTheOrderOfTheFile() throws {
        try write([
            ("https://api.example/a", "2026-11-20T09:00:03Z", "1"), ("https://api.example/a", "yesterday", "2"),
            ("https://api.example/a", "2026-11-20T09:00:01Z", "3"),
        ])
        let replay = try RecordingBench(path, .replay)
        XCTAssertEqual(try (1...3).map { _ in try replay.get("/a") }, ["200 1", "200 2", "200 3"])
    }

    /// The error named an entry that looked the same, "which differs in path".
    func testTheURLsOfAnotherProgramAreComparedInTheirCanonicalForm() throws {
        let time = "2026-11-20T09:00:00.000Z"
        try write([
            ("https://API.example:443/a#top", time, "a"), ("https://api.example", time, "root"),
            ("https://api.example/x/../b?q=ä", time, "b"), ("data:text/plain,x", time, "other"),
        ])
        let replay = try RecordingBench(path, .replay)
        XCTAssertEqual(try replay.get("/a"), "200 a")
        XCTAssertEqual(try replay.get("/"), "200 root")
        XCTAssertEqual(try replay.get("/b?q=%C3%A4"), "200 b")
    }

    private func write(_ entries: [(url: String, time: String, body: String)]) throws {
        let entries = entries.map { url, time, body in
            """
            {"startedDateTime": "\(time)", "time": 1, "request": {"method": "GET", "url": "\(url)",
             "httpVersion": "h2", "headers": [], "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0},
             "response": {"status": 200, "statusText": "", "httpVersion": "h2", "headers": [], "cookies": [],
              "content": {"size": 1, "mimeType": "text/plain", "text": "\(body)"}, "redirectURL": "",
              "headersSize": -1, "bodySize": -1}, "cache": {}, "timings": {"send": 0, "wait": 1, "receive": 0}}
            """
        }
        let log = #"{"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": ["#
        try #"{"log": \#(log)\#(entries.joined(separator: ","))]}}"#
            .write(toFile: path, atomically: true, encoding: .utf8)
    }
}
