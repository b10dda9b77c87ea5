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

    /// The times, in seconds, at which requests with these cookies of their caller are sent through these interceptors, one
    /// request every 10 ms. All share one limit of one request per second, and each response changes a cookie.
    private func sendTimes(_ requests: [(cookie: String?, interceptors: [any RequestInterceptor])]) throws -> [Double] {
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
            layers: [RateLimit(.fixed(perSecond: 1), scheduler: scheduler)])
        let bag = DisposeBag()
        for (cookie, interceptors) in requests {
            var request = try Request(.get, "http://a.example/")
            request.headers[.cookie] = cookie
            client.with(interceptors: interceptors).send(request).subscribe().disposed(by: bag)
            scheduler.advanceBy(10)
        }
        scheduler.advanceBy(10_000)
        return times.withLock { $0 }.map { ($0 * 10).rounded(.down) / 10 }
    }

    func testACookieThatTheServerChangesWithEachResponseBeginsNoNewLimit() throws {
        let jar = CookieJar()
        XCTAssertEqual(try sendTimes(Array(repeating: (nil, [jar]), count: 4)), [0, 1, 2, 3])
    }

    func testCookiesThatCallersWriteHaveALimitEach() throws {
        for jars in [[], [CookieJar()]] {
            let requests = ["user=a", "user=b", "user=a", "user=b"].map { ($0, jars) }
            XCTAssertEqual(try sendTimes(requests), [0, 0, 1, 1])
        }
    }

    /// The refusal of one user's requests stopped those of all users.
    func testTheJarsOfTwoUsersHaveALimitEach() throws {
        let (one, other) = (CookieJar(), CookieJar())
        XCTAssertEqual(try sendTimes([one, other, one, other].map { (nil, [$0]) }), [0, 0, 1, 1])
    }

    func testALoginHasOneLimitWhateverItsJars() throws {
        let (one, other) = (CookieJar(), CookieJar())
        let requests = [one, other, one, other].map { (nil as String?, [Login(), $0] as [any RequestInterceptor]) }
        XCTAssertEqual(try sendTimes(requests), [0, 1, 2, 3])
    }

    func testCookiesThatOtherInterceptorsSetHaveALimitEachBesideAJar() throws {
        let jar = CookieJar()
        let requests = ["a", "b", "a", "b"].map {
            (nil as String?, [UserCookie(user: $0), jar] as [any RequestInterceptor])
        }
        XCTAssertEqual(try sendTimes(requests), [0, 0, 1, 1])
        XCTAssertEqual(try sendTimes(requests.map { ($0, $1.reversed()) }), [0, 0, 1, 1])
    }
}

/// States that all requests belong to one login.
private struct Login: RequestInterceptor {
    func account(of request: Request) -> AccountResolution { .ready(RequestAccount(loginID: "login")) }
}

/// Adds a cookie that says whose the request is, and states no account.
private struct UserCookie: RequestInterceptor {
    let user: String

    func adapt(_ request: inout Request) -> Adaptation {
        let others = request.headers[.cookie].map { [$0] } ?? []
        request.headers[.cookie] = (others + ["user=\(user)"]).joined(separator: "; ")
        return .ready
    }
}
