import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests which login a stored response belongs to if only some interceptors state an account.
final class CachePartialAccountTests: XCTestCase {
    func testTheCredentialsOfAnInterceptorAreSeparatedBesideALoginThatIsStillBeingRead() throws {
        struct Login: RequestInterceptor {
            func account(of request: Request) -> AccountResolution {
                .waiting(.just(RequestAccount(loginID: "anna")))
            }
        }
        struct Session: RequestInterceptor {
            let cookie: Locked<String>

            func adapt(_ request: inout Request) -> Adaptation {
                request.headers[.cookie] = cookie.withLock { $0 }
                return .ready
            }
        }
        let cookie = Locked("")
        let bench = CacheBench(interceptors: [Login(), Session(cookie: cookie)])
        for number in 1...2 { bench.script(.ok, "Cache-Control: max-age=100", body: "\(number)") }
        for (text, body) in [("s=1", "1"), ("s=2", "2"), ("s=1", "1")] {
            cookie.withLock { $0 = text }
            XCTAssertEqual(try bench.send().body, body)
        }
    }
}
