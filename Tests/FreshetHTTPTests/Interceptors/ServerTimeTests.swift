import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

final class ServerTimeTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// The time of the server, 2e9 s since 1970, and ten seconds later.
    private static let now = "Wed, 18 May 2033 03:33:20 GMT"
    private static let later = "Wed, 18 May 2033 03:33:30 GMT"

    func testAWrongClockNeitherLengthensNorSkipsTheWaitBeforeARetry() throws {
        for error in [-1800.0, 1800] {
            let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
            let transport = StubTransport(scheduler: scheduler)
            transport.enqueue(
                ScriptedResponse(
                    status: .serviceUnavailable, headers: [.date: Self.now, .retryAfter: Self.later]),
                ScriptedResponse(body: "done"))
            var policy = RetryPolicy(secondsSince1970: { 2e9 + error })
            policy.longestRetryAfter = .seconds(60)
            let client = HTTPClient(transport: transport, scheduler: scheduler, interceptors: [policy])
            let text = Locked("")
            let request = client.get("http://a.example/").subscribe { result in
                text.withLock { $0 = (try? result.get().text) ?? "failed" }
            }
            scheduler.advanceTo(9999)
            XCTAssertEqual(transport.requestCount, 1, "wrong by \(error) s")
            scheduler.advanceTo(10_000)
            XCTAssertEqual(text.withLock { $0 }, "done", "wrong by \(error) s")
            request.dispose()
        }
    }

    func testTheTimeOfTheServerIsTheDateAndTheAgeInACache() {
        for (age, time) in [(nil, 2e9), ("0", 2e9), ("100", 2e9 + 100), ("-100", 2e9), ("old", 2e9)] {
            var fields: HTTPFields = [.date: Self.now, .retryAfter: Self.later]
            fields[.age] = age
            XCTAssertEqual(fields.serverTime(orElse: 5), time, age ?? "no age")
        }
        XCTAssertEqual(HTTPFields().serverTime(orElse: 5), 5)
        XCTAssertEqual(([.date: "today"] as HTTPFields).serverTime(orElse: 5), 5)
    }
}
