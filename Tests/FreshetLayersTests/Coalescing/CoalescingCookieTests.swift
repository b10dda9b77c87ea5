import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests who gets the cookies of a shared response.
final class CoalescingCookieTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// The cookies that each of `jars` has after requests at the same time, and the number of requests that were sent.
    private func cookies(_ jars: [CookieJar]) -> (values: [[String]], requestCount: Int) {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let server = StubTransport(scheduler: scheduler)
        for number in 1...jars.count {
            server.enqueue(
                ScriptedResponse(headers: [.setCookie: "session=\(number)"], body: "").after(.milliseconds(100)))
        }
        let client = HTTPClient(transport: server, scheduler: scheduler, layers: [Coalescing()])
        for jar in jars { _ = client.with(interceptors: [jar]).get("http://a.example/").subscribe() }
        scheduler.advanceBy(1000)
        return (jars.map { $0.cookies.map(\.value) }, server.requestCount)
    }

    /// Two users without cookies got the cookie of one session.
    func testTheUsersOfTwoJarsGetSessionsOfTheirOwn() {
        XCTAssertEqual(cookies([CookieJar(), CookieJar()]).values, [["1"], ["2"]])
    }

    func testTheRequestsOfOneJarAreSentOnce() {
        let jar = CookieJar()
        let result = cookies([jar, jar])
        XCTAssertEqual(result.values, [["1"], ["1"]])
        XCTAssertEqual(result.requestCount, 1)
    }
}
