import Foundation
import FreshetCore
import FreshetHTTP
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetHTTPTesting

final class RecordedClientTests: XCTestCase {
    private var resources = 0
    private var folder = ""
    private var path = ""

    override func setUp() {
        resources = Resources.total
        folder = NSTemporaryDirectory() + "freshet-\(UUID().uuidString)"
        path = folder + "/recordings/api.har"
    }

    override func tearDown() {
        try? FileManager.default.removeItem(atPath: folder)
        XCTAssertEqual(Resources.total, resources)
    }

    /// A client whose server says the number of the request.
    private func live(from first: Int) -> (HTTPClient, StubTransport) {
        let server = StubTransport()
        server.enqueue(ScriptedResponse(body: "\(first)"), ScriptedResponse(body: "\(first + 1)"))
        return (HTTPClient(transport: server, scheduler: TestScheduler(initialClock: 0)), server)
    }

    private func text(_ path: String, by client: HTTPClient) -> String {
        do {
            return try client.get("https://api.example\(path)").text().toBlocking(timeout: 10).single()
        } catch {
            return (error as? HTTPClientError)?.code.rawValue ?? "\(error)"
        }
    }

    /// Sends two requests, the second of which is not in the file.
    private func run(_ mode: RecordMode, from first: Int = 1) throws -> (texts: [String], sent: Int) {
        let (client, server) = live(from: first)
        let recorded = try client.recorded(at: path, mode: mode)
        return (["/a", "/b"].map { text($0, by: recorded) }, server.requestCount)
    }

    private func record() throws {
        let (client, _) = live(from: 1)
        XCTAssertEqual(text("/a", by: try client.recorded(at: path)), "1")
    }

    func testTwoClientsThatLiveTogetherRecordIntoOneFile() throws {
        let (first, _) = live(from: 1)
        let (second, _) = live(from: 5)
        try withExtendedLifetime(try first.recorded(at: path)) { recorded in
            XCTAssertEqual(text("/a", by: recorded), "1")
            XCTAssertEqual(text("/b", by: try second.recorded(at: path)), "5")
        }
        let (third, server) = live(from: 9)
        let replayed = try third.recorded(at: path)
        XCTAssertEqual(["/a", "/b"].map { text($0, by: replayed) }, ["1", "5"])
        XCTAssertEqual(server.requestCount, 0)
    }

    func testAnotherSpellingOfThePathIsTheSameRecording() throws {
        let (first, _) = live(from: 1)
        let (second, _) = live(from: 5)
        let recorded = try first.recorded(at: path, mode: .all)
        XCTAssertEqual(text("/a", by: recorded), "1")
        let link = folder + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder + "/recordings")
        for (index, spelling) in [folder + "/./recordings/api.har", link + "/api.har"].enumerated() {
            XCTAssertEqual(text("/\(index)", by: try second.recorded(at: spelling, mode: .all)), "\(index + 5)")
        }
        let (third, _) = live(from: 9)
        let replayed = try third.recorded(at: path, mode: .none)
        XCTAssertEqual(["/a", "/0", "/1"].map { text($0, by: replayed) }, ["1", "5", "6"])
    }

    func testClientsOfSeveralThreadsRecordIntoOneFile() throws {
        for round in 0..<20 {
            let path = folder + "/\(round).har"
            let clients = (0..<4).map { _ in live(from: 1).0 }
            let opened = Locked<[HTTPClient]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { number in
                guard let recorded = try? clients[number].recorded(at: path, mode: .all) else { return }
                opened.withLock { $0.append(recorded) }
            }
            for (number, client) in opened.withLock({ $0 }).enumerated() { _ = text("/\(number)", by: client) }
            let replayed = try live(from: 9).0.recorded(at: path, mode: .none)
            XCTAssertEqual((0..<4).map { text("/\($0)", by: replayed) }, ["1", "1", "1", "1"])
        }
    }

    /// Otherwise a test in mode `none` would send requests as soon as the program sets layers.
    func testTheRecordingStaysWhenOtherLayersAreSet() throws {
        struct NoLayer: TransportLayer {
            func wrapping(_ transport: any Transport) -> any Transport { transport }
        }
        try record()
        let (client, server) = live(from: 7)
        let recorded = try client.recorded(at: path, mode: .none).with(layers: [NoLayer()])
        XCTAssertEqual(["/a", "/b"].map { text($0, by: recorded) }, ["1", "not_recorded"])
        XCTAssertEqual(server.requestCount, 0)
    }

    func testOnceRecordsWithoutAFileAndOtherwiseOnlyReplays() throws {
        let first = try run(.once)
        XCTAssertEqual(first.texts, ["1", "2"])
        XCTAssertEqual(first.sent, 2)
        let second = try run(.once, from: 7)
        XCTAssertEqual(second.texts, ["1", "2"])
        XCTAssertEqual(second.sent, 0)
    }

    func testNoneNeverSendsARequest() throws {
        try record()
        let outcome = try run(.none, from: 7)
        XCTAssertEqual(outcome.texts, ["1", "not_recorded"])
        XCTAssertEqual(outcome.sent, 0)
        try FileManager.default.removeItem(atPath: path)
        XCTAssertThrowsError(try run(.none)) { XCTAssertEqual(($0 as? HTTPClientError)?.code, .store) }
    }

    func testNewSendsOnlyWhatTheFileLacks() throws {
        try record()
        let outcome = try run(.new, from: 7)
        XCTAssertEqual(outcome.texts, ["1", "7"])
        XCTAssertEqual(outcome.sent, 1)
        XCTAssertEqual(try run(.none).texts, ["1", "7"])
    }

    func testAllSendsEveryRequestAndRewritesTheFile() throws {
        try record()
        let outcome = try run(.all, from: 7)
        XCTAssertEqual(outcome.texts, ["7", "8"])
        XCTAssertEqual(try run(.none).texts, ["7", "8"])
    }

    func testTheEnvironmentReplacesTheMode() throws {
        XCTAssertEqual(try RecordMode.once.replaced(by: nil), .once)
        XCTAssertEqual(try RecordMode.none.replaced(by: ""), .none)
        XCTAssertEqual(try RecordMode.none.replaced(by: "1"), .all)
        for mode in RecordMode.allCases { XCTAssertEqual(try RecordMode.once.replaced(by: mode.rawValue), mode) }
        XCTAssertThrowsError(try RecordMode.once.replaced(by: "yes")) { error in
            XCTAssertEqual((error as? HTTPClientError)?.code, .invalidRequest)
            XCTAssertTrue("\(error)".contains("none, once, new, all or 1"), "\(error)")
        }
    }

    func testPausesOfAStreamUseVirtualTime() throws {
        let clock = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let server = StubTransport(scheduler: clock)
        let pieces = Observable<Int>.interval(.seconds(20), scheduler: clock).take(2).map { Array("p\($0)".utf8) }
        server.enqueue(.streaming(pieces, headers: [.contentType: "text/event-stream"]))
        let request = try Request(.get, "https://api.example/stream")
        let recording = try HTTPClient(transport: server, scheduler: clock).recorded(at: path, mode: .all)
            .bodyParts(request).subscribe()
        clock.start()
        recording.dispose()

        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let client = try HTTPClient.recorded(at: path, scheduler: scheduler)
        let observer = scheduler.createObserver(String.self)
        let playing = client.bodyParts(request).map { String(decoding: $0, as: UTF8.self) }.subscribe(observer)
        scheduler.start()
        XCTAssertEqual(observer.events, [.next(20_000, "p0"), .next(40_000, "p1"), .completed(40_000)])
        playing.dispose()
    }
}
