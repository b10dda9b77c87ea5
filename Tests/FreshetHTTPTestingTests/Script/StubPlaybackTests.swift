import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests when a stub delivers which bytes, and how its response ends.
final class StubPlaybackTests: XCTestCase {
    private var resources = 0
    private var scheduler: TestScheduler!

    override func setUp() {
        resources = Resources.total
        scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    }

    override func tearDown() {
        scheduler = nil
        XCTAssertEqual(Resources.total, resources)
    }

    func testAnEndlessBodyIsNoPartOfAResponseThatHasNoBody() throws {
        XCTAssertEqual(try parts(.repeating([1], times: .max), .head), ["0: 200", "0: completed"])
        var response = ScriptedResponse.repeating([1], times: .max)
        response.status = .noContent
        XCTAssertEqual(try parts(response), ["0: 204", "0: completed"])
        XCTAssertEqual(
            try parts(ScriptedResponse(body: "abc").truncated(after: 1).withTrailers([.eTag: "x"]), .head),
            ["0: 200", "0: completed"])
    }

    func testEndlessRawBytesStopWithTheTransfer() throws {
        let transport = StubTransport()
        transport.enqueue(.raw("x", repeating: "y", times: .max))
        let client = HTTPClient(transport: transport, scheduler: scheduler)
        XCTAssertThrowsError(try client.get("http://example.com/").toBlocking().single()) { error in
            XCTAssertEqual((error as? HTTPClientError)?.code, .protocol)
        }
    }

    func testAPaceAppliesToAllPiecesAndStreams() throws {
        let byte: [UInt8] = [1]
        let responses = [
            ScriptedResponse(pieces: [[1, 1, 1, 1, 1]]), .repeating(byte, times: 5), .repeating([1, 1], times: 2),
            .streaming(.of([1, 1, 1], [1, 1])),
        ]
        let times = try responses.map { try arrivals($0.paced(2, every: .seconds(10))) }
        XCTAssertEqual(times, [[0, 0, 10, 10, 20], [0, 0, 10, 10, 20], [0, 0, 10, 10], [0, 0, 10, 10, 20]])
        // The interval has elapsed during the pause.
        let pausing = ScriptedResponse.repeating([1, 1], times: 2).pausing(.seconds(15))
        XCTAssertEqual(try arrivals(pausing.paced(2, every: .seconds(10))), [0, 0, 15, 15])
    }

    func testAThrottleThatLetsAnyNumberPassCanLetMorePass() throws {
        let throttle = Throttle()
        throttle.allow(.max)
        throttle.allow(1)
        XCTAssertEqual(try arrivals(ScriptedResponse(body: "abc").throttled(by: throttle)), [0, 0, 0])
    }

    func testAThrottleHoldsAStream() throws {
        let throttle = Throttle()
        let (log, subscription) = try start(.streaming(.of([1, 2], [3])).throttled(by: throttle))
        XCTAssertEqual(log.bodyTimes, [])
        throttle.allow(1)
        XCTAssertEqual(log.bodyTimes.count, 1)
        throttle.open()
        XCTAssertEqual(log.bodyTimes.count, 3)
        subscription.dispose()
    }

    func testStreamsAndDeferredResponsesCanBeCutOffAndPaused() throws {
        let stream = ScriptedResponse.streaming(.of([1, 2], [3, 4], [5, 6]))
        let lost = ["0: 200", "0: [1, 2]", "0: [3]", "0: connection_lost"]
        XCTAssertEqual(try parts(stream.truncated(after: 3)), lost)
        XCTAssertEqual(try parts(.deferred(.just(stream)).truncated(after: 3)), lost)
        XCTAssertEqual(
            try parts(stream.pausing(.seconds(5))),
            ["0: 200", "0: [1, 2]", "5: [3, 4]", "10: [5, 6]", "10: completed"])
        let barrier = Barrier()
        let (log, subscription) = try start(stream.pausing(after: 3, until: barrier))
        XCTAssertEqual(log.lines, ["0: 200", "0: [1, 2]", "0: [3]"])
        barrier.release()
        XCTAssertEqual(log.lines.dropFirst(3), ["0: [4]", "0: [5, 6]", "0: completed"])
        subscription.dispose()
    }

    func testADeferredResponseCanBeChangedBeforeItIsKnown() throws {
        let response = ScriptedResponse.deferred(.just(ScriptedResponse(body: "ab"))).chunked(["c"])
            .withTrailers([.eTag: "x"]).preceded(by: .init(code: 103)).after(.seconds(2))
        XCTAssertEqual(
            try parts(response),
            ["2: 103", "2: 200", "2: [97, 98]", "2: [99]", "2: trailers", "2: completed"])
    }

    func testAnInterimResponseIsSentBeforeTheDelaysThatWereWrittenBeforeIt() throws {
        let hints = HTTPResponse.Status(code: 103)
        XCTAssertEqual(
            try parts(ScriptedResponse().after(.seconds(5)).preceded(by: .init(code: 102)).preceded(by: hints)),
            ["0: 102", "0: 103", "5: 200", "5: completed"])
        XCTAssertEqual(
            try parts(ScriptedResponse().preceded(by: hints).after(.seconds(5))), ["5: 103", "5: 200", "5: completed"])
    }

    func testPausingAppliesToRepeatedPieces() throws {
        XCTAssertEqual(try arrivals(.repeating([1], times: 3).pausing(.seconds(1))), [0, 1, 2])
    }

    func testABodyThatEndsWithTheConnectionCanNotBeCutOff() throws {
        XCTAssertEqual(
            try parts(ScriptedResponse(body: "abc").untilClose().truncated(after: 1)),
            ["0: 200", "0: [97]", "0: completed"])
        XCTAssertEqual(
            try parts(ScriptedResponse(body: "abc").untilClose().reset(after: 1)),
            ["0: 200", "0: [97]", "0: connection_lost"])
    }

    func testAPausedReceiverGetsNothingOfAStreamThatEmitsAtOnce() throws {
        let transport = StubTransport(scheduler: scheduler)
        transport.enqueue(.streaming(.of([1], [2], [3])).after(.seconds(1)))
        let log = Log(scheduler)
        let subscription = try transport.parts(Request(.get, "http://example.com/")).subscribe { event in
            log.append(event)
            if case .next(.body) = event { log.pausable?.pause() }
        }
        log.pausable = subscription as? any Pausable
        scheduler.start()
        XCTAssertEqual(log.bodyTimes, [1])
        log.pausable?.resume()
        XCTAssertEqual(log.bodyTimes, [1, 1])
        subscription.dispose()
        log.pausable = nil
    }

    private func start(
        _ response: ScriptedResponse, _ method: HTTPRequest.Method = .get
    ) throws -> (Log, any Disposable) {
        let transport = StubTransport(scheduler: scheduler)
        transport.enqueue(response)
        let log = Log(scheduler)
        return (log, try transport.parts(Request(method, "http://example.com/")).subscribe { log.append($0) })
    }

    /// The parts of a response, each with the time since the request.
    private func parts(_ response: ScriptedResponse, _ method: HTTPRequest.Method = .get) throws -> [String] {
        let (log, subscription) = try start(response, method)
        scheduler.start()
        subscription.dispose()
        return log.lines
    }

    /// The time of each byte of the body.
    private func arrivals(_ response: ScriptedResponse) throws -> [Int] {
        let (log, subscription) = try start(response)
        scheduler.start()
        subscription.dispose()
        return log.bodyTimes
    }
}

/// The events of a transfer, each with its time since the request.
private final class Log: Sendable {
    private struct State {
        var lines: [String] = []
        var bodyTimes: [Int] = []
        var pausable: (any Pausable)?
    }

    private let scheduler: TestScheduler
    private let begin: Int
    private let state = Locked(State())

    init(_ scheduler: TestScheduler) {
        self.scheduler = scheduler
        begin = scheduler.clock
    }

    var lines: [String] { state.withLock { $0.lines } }
    var bodyTimes: [Int] { state.withLock { $0.bodyTimes } }
    var pausable: (any Pausable)? {
        get { state.withLock { $0.pausable } }
        set { state.withLock { $0.pausable = newValue } }
    }

    func append(_ event: Event<ResponsePart>) {
        let time = scheduler.clock - begin
        let text =
            switch event {
            case .next(.head(let head)), .next(.informational(let head)): "\(head.status.code)"
            case .next(.body(let bytes)): "\(bytes)"
            case .next(.trailers): "trailers"
            case .next: nil as String?
            case .error(let error): (error as? HTTPClientError)?.code.rawValue
            case .completed: "completed"
            }
        guard let text else { return }
        state.withLock { state in
            state.lines.append("\(time): \(text)")
            if case .next(.body(let bytes)) = event { state.bodyTimes += bytes.map { _ in time } }
        }
    }
}
