import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

final class RateLimitOwnerTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// The times, in seconds, at which four requests are sent, one every 10 ms, with the cookies that their caller writes.
    private func sendTimes(_ cookies: [String?], jar: CookieJar?) throws -> [Double] {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let times = Locked<[Double]>([])
        let server = StubTransport(scheduler: scheduler)
        server.route { [scheduler] _ in
            let number = times.withLock { times in
                times.append(scheduler.now.sinceStart / .seconds(1))
                return times.count
            }
            return ScriptedResponse(headers: [.setCookie: "AWSALB=\(number)"])
        }
        let client = HTTPClient(
            transport: server, scheduler: scheduler,
            layers: [RateLimit(.fixed(perSecond: 1), scheduler: scheduler)],
            interceptors: jar.map { [$0] } ?? [])
        let bag = DisposeBag()
        for cookie in cookies {
            var request = try Request(.get, "http://a.example/")
            request.headers[.cookie] = cookie
            client.send(request).subscribe().disposed(by: bag)
            scheduler.advanceBy(10)
        }
        scheduler.advanceBy(10_000)
        return times.withLock { $0 }.map { ($0 * 10).rounded(.down) / 10 }
    }

    func testACookieThatTheServerChangesWithEachResponseBeginsNoNewLimit() throws {
        XCTAssertEqual(try sendTimes([nil, nil, nil, nil], jar: CookieJar()), [0, 1, 2, 3])
    }

    func testCookiesThatCallersWriteHaveALimitEach() throws {
        for jar in [nil, CookieJar()] {
            XCTAssertEqual(try sendTimes(["user=a", "user=b", "user=a", "user=b"], jar: jar), [0, 0, 1, 1])
        }
    }
}
