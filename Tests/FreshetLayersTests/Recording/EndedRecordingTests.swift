import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests recordings of the end of a request, most of all before its response was complete.
final class EndedRecordingTests: RecordingTestCase {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)

    /// The bytes that arrive of the response to a request, and how the request ends.
    private func outcome(
        _ mode: HTTPRecording.Mode, type: String = "text/plain", timeout: Duration? = nil,
        leavingAfter count: Int = .max
    ) throws -> (text: String, error: HTTPClientError.Code?, isComplete: Bool) {
        let server = StubTransport(scheduler: scheduler)
        let pieces = Observable<Int>.interval(.seconds(1), scheduler: scheduler).take(4).map { Array("p\($0)".utf8) }
        server.enqueue(.streaming(pieces, headers: [.contentType: type, .contentLength: "8"]))
        let recording = try HTTPRecording(
            at: path, mode: mode, scheduler: scheduler, secondsSince1970: { 784_111_777 })
        let client = HTTPClient(transport: server, scheduler: scheduler, layers: [recording])
        var request = try Request(.get, "https://api.example/a")
        request.timeout = timeout
        let outcome = Locked<(text: String, error: HTTPClientError.Code?, isComplete: Bool)>(("", nil, false))
        let bodies = client.events(request).compactMap { event -> [UInt8]? in
            if case .body(let bytes) = event { bytes } else { nil }
        }
        let subscription = bodies.take(count).subscribe(
            onNext: { bytes in outcome.withLock { $0.text += String(decoding: bytes, as: UTF8.self) } },
            onError: { error in outcome.withLock { $0.error = (error as? HTTPClientError)?.code } },
            onCompleted: { outcome.withLock { $0.isComplete = true } })
        scheduler.advanceBy(10_000)
        subscription.dispose()
        return outcome.withLock { $0 }
    }

    func testAResponseThatTheTimeoutHasCutShortIsSilentAfterItsBeginningInTheReplay() throws {
        let recorded = try outcome(.record, timeout: .milliseconds(2500))
        XCTAssertEqual(recorded.text, "p0p1")
        XCTAssertEqual(recorded.error, .timeout)
        for timeout in [Duration.milliseconds(2500), nil] {
            let replayed = try outcome(.replay, timeout: timeout)
            XCTAssertEqual(replayed.text, "p0p1")
            XCTAssertEqual(replayed.error, timeout == nil ? nil : .timeout)
            XCTAssertFalse(replayed.isComplete)
        }
    }

    func testAResponseThatItsCallerHasLeftIsSilentAfterItsBeginningInTheReplay() throws {
        XCTAssertEqual(try outcome(.record, leavingAfter: 2).text, "p0p1")
        XCTAssertEqual(try outcome(.replay, leavingAfter: 2).error, nil)
        let replayed = try outcome(.replay)
        XCTAssertEqual(replayed.text, "p0p1")
        XCTAssertNil(replayed.error)
        XCTAssertFalse(replayed.isComplete)
    }

    func testARequestThatWasEndedBeforeItsResponseGetsNoneInTheReplay() throws {
        XCTAssertEqual(try outcome(.record, timeout: .milliseconds(1)).error, .timeout)
        XCTAssertEqual(try outcome(.replay, timeout: .seconds(2)).error, .timeout)
        let replayed = try outcome(.replay)
        XCTAssertNil(replayed.error)
        XCTAssertFalse(replayed.isComplete)
    }

    /// A client with a recording of a server whose responses take these times.
    private func client(
        _ mode: HTTPRecording.Mode, _ delays: Duration..., above: [any TransportLayer] = []
    ) throws -> HTTPClient {
        let server = StubTransport(scheduler: scheduler)
        for delay in delays { server.enqueue(ScriptedResponse(body: "\(delay)").after(delay)) }
        let recording = try HTTPRecording(
            at: path, mode: mode, scheduler: scheduler,
            secondsSince1970: { [scheduler] in 784_111_777 + Double(scheduler.clock) / 1000 })
        return HTTPClient(transport: server, scheduler: scheduler, layers: above + [recording])
    }

    /// The bodies of a stream of responses, and then how the stream ends.
    private func outcome(of responses: Observable<Response>) -> [String] {
        let outcome = Locked<[String]>([])
        let subscription = responses.subscribe(
            onNext: { response in outcome.withLock { $0.append(response.text) } },
            onError: { error in outcome.withLock { $0.append("\(error)") } },
            onCompleted: { outcome.withLock { $0.append("end") } })
        scheduler.advanceBy(20_000)
        subscription.dispose()
        return outcome.withLock { $0 }
    }

    func testAHedgedRequestIsRepliedToInTheReplay() throws {
        var settings = Hedging.Settings()
        settings.minimumResponses = 1
        for mode in [HTTPRecording.Mode.record, .replay] {
            let budget = RetryBudget(ratio: 0, minimumPerSecond: 10, scheduler: scheduler)
            let client = try client(
                mode, .milliseconds(10), .seconds(5), .milliseconds(20),
                above: [Hedging(settings, budget: budget, scheduler: scheduler)])
            let responses = Observable.of("/a", "/b").concatMap { client.get("http://a.example\($0)") }
            XCTAssertEqual(outcome(of: responses), ["0.01 seconds", "0.02 seconds", "end"], "\(mode)")
        }
    }

    /// The second attempt began after the one that won, so the replay gave it to the repetition.
    func testTheRepetitionOfARequestWhoseFirstAttemptWonIsRepliedToInTheReplay() throws {
        var settings = Hedging.Settings()
        settings.minimumResponses = 1
        let budget = RetryBudget(ratio: 0, minimumPerSecond: 10, scheduler: scheduler)
        let recording = try client(
            .record, .milliseconds(10), .seconds(2), .seconds(5),
            above: [Hedging(settings, budget: budget, scheduler: scheduler)])
        let recorded = Observable.of("/a", "/b").concatMap { recording.get("http://a.example\($0)") }
        XCTAssertEqual(outcome(of: recorded), ["0.01 seconds", "2.0 seconds", "end"])
        let replay = try client(.replay)
        let replayed = Observable.of("/a", "/b", "/b").concatMap { replay.get("http://a.example\($0)") }
        XCTAssertEqual(outcome(of: replayed), ["0.01 seconds", "2.0 seconds", "2.0 seconds", "end"])
    }

    func testARequestThatItsCallerHasReplacedIsReplacedInTheReplay() throws {
        for mode in [HTTPRecording.Mode.record, .replay] {
            let client = try client(mode, .seconds(5), .milliseconds(10))
            let responses = Observable<Int>.interval(.seconds(1), scheduler: scheduler).take(2)
                .flatMapLatest { client.get("http://a.example/\($0)") }
            XCTAssertEqual(outcome(of: responses), ["0.01 seconds", "end"], "\(mode)")
        }
    }

    func testAnEventStreamThatItsCallerHasLeftEndsInTheReplay() throws {
        XCTAssertEqual(try outcome(.record, type: "text/event-stream", leavingAfter: 2).text, "p0p1")
        let replayed = try outcome(.replay)
        XCTAssertEqual(replayed.text, "p0p1")
        XCTAssertTrue(replayed.isComplete)
    }

    func testAnEntryIsInTheFileWhenItsResponseArrives() throws {
        let server = StubTransport()
        let barrier = Barrier()
        let failure = HTTPClientError(.tls, phase: .securing, message: "")
        server.enqueue(
            ScriptedResponse(body: "a").delayed(until: barrier), .failure(failure).delayed(until: barrier))
        let recording = try HTTPRecording(at: path, mode: .record, scheduler: TestScheduler(initialClock: 0))
        let recorded = recording.wrapping(server).parts(try Request(.get, "https://api.example/"))
        let counts = Locked<[Int]>([])
        let subscriptions = (0..<2).map { _ in
            let count: @Sendable () -> Void = { [path] in
                let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
                counts.withLock { $0.append(text.components(separatedBy: "startedDateTime").count - 1) }
            }
            return recorded.subscribe(onError: { _ in count() }, onCompleted: count)
        }
        barrier.release()
        subscriptions.forEach { $0.dispose() }
        XCTAssertEqual(counts.withLock { $0 }, [1, 2])
    }

    func testACompleteResponseIsCompleteInTheReplay() throws {
        XCTAssertNil(try outcome(.record).error)
        let replayed = try outcome(.replay)
        XCTAssertEqual(replayed.text, "p0p1p2p3")
        XCTAssertTrue(replayed.isComplete)
    }

    /// The client leaves a long body of a response once the retrier has seen enough of it.
    func testARetriedResponseWithALongBodyIsRetriedInTheReplay() throws {
        let pieces = Observable<Int>.interval(.seconds(1), scheduler: scheduler).map { _ in
            Array(repeating: UInt8(1), count: 70_000)
        }
        for mode in [HTTPRecording.Mode.record, .replay] {
            let server = StubTransport(scheduler: scheduler)
            server.enqueue(.streaming(pieces, status: .serviceUnavailable))
            server.enqueue(ScriptedResponse(body: "well"))
            let recording = try HTTPRecording(
                at: path, mode: mode, scheduler: scheduler, secondsSince1970: { 784_111_777 })
            let policy = RetryPolicy(limit: 1, random: { 0.5 }, secondsSince1970: { 0 })
            let client = HTTPClient(
                transport: server, scheduler: scheduler, layers: [recording], interceptors: [policy])
            let request = try Request(.get, "http://a.example/")
            let statuses = Locked<[Int]>([])
            let subscription = client.events(request).subscribe(onNext: { event in
                switch event {
                case .retry(_, .response(let response)): statuses.withLock { $0.append(response.status.code) }
                case .head(let head, _): statuses.withLock { $0.append(head.status.code) }
                default: break
                }
            })
            scheduler.advanceBy(20_000)
            subscription.dispose()
            XCTAssertEqual(statuses.withLock { $0 }, [503, 200], "\(mode)")
        }
    }
}
