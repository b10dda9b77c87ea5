import FreshetCore
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

/// Tests requests that wait for a login, and whose login the server refuses.
final class RefusedLoginTests: XCTestCase {
    private var resources = 0
    private var waiting = RefreshGate.Settings()

    override func setUp() {
        resources = Resources.total
        waiting.whenLoginIsRequired = .wait
    }

    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// An operator can enter a refresh token that was already used. The service must not end because of it.
    func testALoginWhoseRefreshIsRefusedIsWaitedForAnew() throws {
        for isElsewhere in [false, true] {
            let bench = try LoginBench(settings: waiting, refuses: true)
            bench.api.enqueue(ScriptedResponse(status: .unauthorized))
            for path in ["/a", "/b"] { bench.begin(path) }
            bench.pass(5)
            for wrong in ["x", "y"] {
                if isElsewhere { bench.logInElsewhere(wrong, until: 1) } else { bench.logIn(wrong, until: 1) }
                bench.pass(5)
            }
            XCTAssertEqual(bench.endings, ["/b"])
            XCTAssertEqual(bench.announcements.withLock { $0 }, [.refused, .refused, .refused])
            bench.logIn("n")
            bench.pass(1)
            XCTAssertEqual(bench.endings, ["/b", "/a"])
            XCTAssertEqual(bench.api.requests.last?.headers[.authorization], "Bearer n")
        }
    }

    func testARequestOfOneAccountIsNotSentAsAnotherAfterARefusedLoginThatNamesNone() throws {
        var first = Credential(accessToken: "a", refreshToken: "r")
        first.details.idToken = LoginBench.idToken("anna")
        let bench = try LoginBench(settings: waiting, first: first, refuses: true)
        bench.api.enqueue(ScriptedResponse(status: .unauthorized))
        bench.begin("/a")
        bench.pass(5)
        bench.logIn("x", until: 1)
        bench.pass(5)
        bench.logIn("n", idToken: LoginBench.idToken("bert"))
        bench.pass(1)
        XCTAssertEqual(bench.endings, ["/a login_required"])
    }

    func testACancelledRequestThatWaitsForItsSecondLoginIsNotSent() throws {
        let bench = try LoginBench(settings: waiting, first: .some(nil), refuses: true)
        let request = bench.begin("/a")
        bench.logIn("x", until: 1)
        bench.pass(1)
        request.dispose()
        bench.logIn("n")
        bench.pass(1)
        XCTAssertEqual(bench.endings, [])
        XCTAssertTrue(bench.api.requests.isEmpty)
    }
}
