import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests that a stub judges a body as the transport judges the same bytes on the wire.
final class StubBodyTests: XCTestCase {
    private var resources = 0

    override func setUp() {
        resources = Resources.total
    }

    override func tearDown() {
        XCTAssertEqual(Resources.total, resources)
    }

    /// The body of the response, or the code of the error.
    private func outcome(_ response: ScriptedResponse, limit: Int? = nil) throws -> String {
        let transport = StubTransport()
        transport.enqueue(response)
        var request = try Request(.get, "http://example.com/")
        var options = TransferOptions()
        options.maximumBodySize = limit
        request.transfer = options
        do {
            return try client(transport).send(request).toBlocking(timeout: 20).single().text
        } catch let error as HTTPClientError {
            return error.code.rawValue
        }
    }

    private func client(_ transport: StubTransport) -> HTTPClient {
        HTTPClient(transport: transport, scheduler: TestScheduler(initialClock: 0))
    }

    func testABodyOfTheStatedLengthIsCompleteHoweverTheConnectionEnds() throws {
        let response = ScriptedResponse(body: "hello")
        for count in [5, 50] {
            XCTAssertEqual(try outcome(response.truncated(after: count)), "hello")
            XCTAssertEqual(try outcome(response.reset(after: count)), "hello")
            XCTAssertEqual(try outcome(response.chunked().truncated(after: count)), "connection_lost")
        }
        XCTAssertEqual(try outcome(response.truncated(after: 4)), "connection_lost")
        XCTAssertEqual(try outcome(response.reset(after: 4)), "connection_lost")
        XCTAssertEqual(try outcome(ScriptedResponse().truncated(after: 0)), "")
    }

    func testABodyThatIsShorterThanItsStatedLengthIsALostConnection() throws {
        let response = ScriptedResponse(headers: [.contentLength: "10"], body: "hello")
        XCTAssertEqual(try outcome(response), "connection_lost")
        XCTAssertEqual(try outcome(response.closing()), "connection_lost")
    }

    func testABodyEndsAtItsStatedLength() throws {
        XCTAssertEqual(try outcome(ScriptedResponse(headers: [.contentLength: "3"], body: "hello")), "hel")
        XCTAssertEqual(
            try outcome(ScriptedResponse(headers: [.contentLength: "3"], pieces: [[97, 98], [99, 100], [101]])), "abc")
        XCTAssertEqual(try outcome(.repeating([97], times: .max, headers: [.contentLength: "3"])), "aaa")
    }

    func testABodyThatIsLargerThanItsLimitFails() throws {
        let response = ScriptedResponse(body: "hello")
        XCTAssertEqual(try outcome(response, limit: 5), "hello")
        XCTAssertEqual(try outcome(response, limit: 4), "too_large")
        XCTAssertEqual(try outcome(response.chunked(), limit: 5), "hello")
        XCTAssertEqual(try outcome(response.chunked(), limit: 4), "too_large")
        XCTAssertEqual(try outcome(.repeating([1], times: .max), limit: 100), "too_large")
    }

    func testTheProgressOfAnUploadEndsWithTheWholeBodyAsOnTheWire() throws {
        for size in [0, 3, 65_536, 65_537] {
            let transport = StubTransport()
            transport.enqueue(ScriptedResponse())
            let request = try Request(.put, "http://example.com/", body: .data(Data(count: size)))
            let reported = Locked<[Int]>([])
            _ = try client(transport).upload(request) { progress in reported.withLock { $0.append(progress.sent) } }
                .toBlocking(timeout: 20).single()
            XCTAssertEqual(reported.withLock { $0 }, size == 0 ? [] : [0, size])
        }
    }

    private struct Broken: Error {}

    /// The error of an upload, and the number of its attempts.
    private func failure(of body: RequestBody) throws -> (error: HTTPClientError?, attempts: Int) {
        let transport = StubTransport()
        transport.enqueue(ScriptedResponse())
        let request = try Request(.post, "http://example.com/upload", body: body)
        switch client(transport).events(request).toBlocking(timeout: 20).materialize() {
        case .completed: return (nil, 0)
        case .failed(let events, let error):
            let attempts = events.filter { if case .attempt = $0 { true } else { false } }
            return (error as? HTTPClientError, attempts.count)
        }
    }

    func testABodyWhoseSourceFailsIsAnErrorOfTheClientAsOnTheWire() throws {
        let (error, attempts) = try failure(of: .stream(.from([[1], [2]]).concat(Observable.error(Broken()))))
        XCTAssertEqual(error?.code, .invalidRequest)
        XCTAssertTrue(error?.underlying is Broken)
        XCTAssertEqual(error?.phase, .sending)
        XCTAssertEqual(error?.origin, "http://example.com")
        XCTAssertEqual(error?.isUnsent, false)
        XCTAssertEqual(attempts, 1)
    }

    func testABodyThatCanNotBeReadFailsBeforeTheAttempt() throws {
        let source = RequestBodySource(isReplayable: true, check: { throw Broken() }, open: { _ in .empty() })
        let (error, attempts) = try failure(of: .source(source))
        XCTAssertEqual(error?.code, .invalidRequest)
        XCTAssertTrue(error?.underlying is Broken)
        XCTAssertEqual(error?.phase, .preparing)
        XCTAssertEqual(error?.isUnsent, true)
        XCTAssertEqual(attempts, 0)
    }

    func testALargeBodyInMemoryReportsThatItIsSent() throws {
        for (size, expected) in [(64 * 1024, []), (64 * 1024 + 1, [64 * 1024 + 1])] {
            let transport = StubTransport()
            transport.enqueue(ScriptedResponse())
            let request = try Request(
                .post, "http://example.com/", body: .bytes([UInt8](repeating: 1, count: size)))
            let events = try client(transport).events(request).toBlocking().toArray()
            let sent = events.compactMap { event -> Int? in
                if case .sent(let count, _) = event { count } else { nil }
            }
            XCTAssertEqual(sent, expected)
        }
    }
}
