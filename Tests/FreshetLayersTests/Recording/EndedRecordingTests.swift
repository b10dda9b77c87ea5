import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests recordings of requests that were ended before their response was complete.
final class EndedRecordingTests: RecordingTestCase {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)

    /// The bytes that arrive of the response to a request, and how the request ends.
    private func outcome(
        _ mode: HTTPRecording.Mode, type: String = "text/plain", timeout: Duration? = nil,
        leavingAfter count: Int = .max
    ) throws -> (text: String, error: HTTPClientError.Code?) {
        let server = StubTransport(scheduler: scheduler)
        let pieces = Observable<Int>.interval(.seconds(1), scheduler: scheduler).take(4).map { Array("p\($0)".utf8) }
        server.enqueue(.streaming(pieces, headers: [.contentType: type, .contentLength: "8"]))
        let recording = try HTTPRecording(
            at: path, mode: mode, scheduler: scheduler, secondsSince1970: { 784_111_777 })
        let client = HTTPClient(transport: server, scheduler: scheduler, layers: [recording])
        var request = try Request(.get, "https://api.example/a")
        request.timeout = timeout
        let outcome = Locked<(text: String, error: HTTPClientError.Code?)>(("", nil))
        let bodies = client.events(request).compactMap { event -> [UInt8]? in
            if case .body(let bytes) = event { bytes } else { nil }
        }
        let subscription = bodies.take(count).subscribe(
            onNext: { bytes in outcome.withLock { $0.text += String(decoding: bytes, as: UTF8.self) } },
            onError: { error in outcome.withLock { $0.error = (error as? HTTPClientError)?.code } })
        scheduler.advanceBy(10_000)
        subscription.dispose()
        return outcome.withLock { $0 }
    }

    func testAResponseThatTheTimeoutHasCutShortIsNotCompleteInTheReplay() throws {
        let recorded = try outcome(.record, timeout: .milliseconds(2500))
        XCTAssertEqual(recorded.text, "p0p1")
        XCTAssertEqual(recorded.error, .timeout)
        let replayed = try outcome(.replay)
        XCTAssertEqual(replayed.text, "p0p1")
        XCTAssertEqual(replayed.error, .cancelled)
    }

    func testAResponseThatItsCallerHasLeftIsNotCompleteInTheReplay() throws {
        XCTAssertEqual(try outcome(.record, leavingAfter: 2).text, "p0p1")
        XCTAssertEqual(try outcome(.replay, leavingAfter: 2).error, nil)
        XCTAssertEqual(try outcome(.replay).error, .cancelled)
    }

    func testARequestThatWasEndedBeforeItsResponseFailsInTheReplay() throws {
        XCTAssertEqual(try outcome(.record, timeout: .milliseconds(1)).error, .timeout)
        XCTAssertEqual(try outcome(.replay).error, .cancelled)
    }

    func testAnEventStreamThatItsCallerHasLeftEndsInTheReplay() throws {
        XCTAssertEqual(try outcome(.record, type: "text/event-stream", leavingAfter: 2).text, "p0p1")
        let replayed = try outcome(.replay)
        XCTAssertEqual(replayed.text, "p0p1")
        XCTAssertNil(replayed.error)
    }

    func testACompleteResponseIsCompleteInTheReplay() throws {
        XCTAssertNil(try outcome(.record).error)
        let replayed = try outcome(.replay)
        XCTAssertEqual(replayed.text, "p0p1p2p3")
        XCTAssertNil(replayed.error)
    }
}
