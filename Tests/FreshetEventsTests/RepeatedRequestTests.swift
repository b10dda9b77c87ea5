import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests parsers of the events of a request that the operator `retry` has sent again. Such a stream has several heads.
final class RepeatedRequestTests: XCTestCase {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// What `parse` makes of a response of which `count` bytes arrive, and of the whole response to the second request.
    private func elements<Element: Sendable>(
        _ body: String, lostAfter count: Int, type: String, _ parse: (Observable<RequestEvent>) -> Observable<Element>
    ) throws -> [Element] {
        let transport = StubTransport(scheduler: scheduler)
        let whole = ScriptedResponse(headers: [.contentType: type], body: body)
        transport.enqueue(whole.truncated(after: count), whole)
        let client = HTTPClient(transport: transport, scheduler: scheduler)
        let elements = Locked<[Element]>([])
        let subscription = parse(client.events(try Request(.get, "http://a/")).retry(2))
            .subscribe(onNext: { element in elements.withLock { $0.append(element) } })
        scheduler.start()
        subscription.dispose()
        return elements.withLock { $0 }
    }

    func testALineOfJSONDoesNotBeginInTheResponseThatWasLost() throws {
        let lines = try elements("1\n22\n", lostAfter: 3, type: "application/x-ndjson") { $0.jsonLines(of: Int.self) }
        XCTAssertEqual(lines.map(\.value), [1, 1, 22])
        XCTAssertEqual(lines.map(\.number), [1, 1, 2])
    }

    func testAnEventDoesNotBeginInTheResponseThatWasLost() throws {
        let events = try elements("id: 7\ndata: a\n\ndata: b\n\n", lostAfter: 23, type: "text/event-stream") {
            $0.serverSentEvents()
        }
        XCTAssertEqual(events.map(\.data), ["a", "a", "b"])
        XCTAssertEqual(events.map(\.id), ["7", "7", "7"])
    }
}
