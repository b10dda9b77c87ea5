import FreshetCore
import FreshetCrypto
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

/// Tests requests that wait for a login. The numbers are those of failures that witoldsz/angular-http-auth and others reported.
final class LoginWaitTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private static let insufficientScope = ScriptedResponse(
        status: .forbidden, headers: [.wwwAuthenticate: #"Bearer error="insufficient_scope", scope="w""#])

    private func waiting(_ change: (inout RefreshGate.Settings) -> Void = { _ in }) -> RefreshGate.Settings {
        var settings = RefreshGate.Settings()
        settings.whenLoginIsRequired = .wait
        settings.whenStepUpIsRequired = .wait
        change(&settings)
        return settings
    }

    /// #62 and #67: requests were sent twice, and without a token.
    func testRequestsContinueInOrderWithTheCredentialOfTheLogin() throws {
        let bench = try LoginBench(settings: waiting(), first: .some(nil))
        for path in ["/a", "/b", "/c"] { bench.begin(path) }
        bench.pass(60)
        XCTAssertEqual(bench.endings, [])
        XCTAssertEqual(bench.announcements.withLock { $0 }, [.noCredential])
        XCTAssertTrue(bench.api.requests.isEmpty)
        bench.logIn("n")
        bench.pass(1)
        XCTAssertEqual(bench.endings, ["/a", "/b", "/c"])
        XCTAssertEqual(bench.api.requests.map { $0.headers[.authorization] }, ["Bearer n", "Bearer n", "Bearer n"])
    }

    func testARequestWhoseRefreshWasRefusedIsSentAgainAfterALogin() throws {
        let bench = try LoginBench(settings: waiting(), refuses: true)
        bench.api.enqueue(ScriptedResponse(status: .unauthorized))
        bench.begin("/a")
        bench.pass(5)
        XCTAssertEqual(bench.endings, [])
        bench.logIn("n")
        bench.pass(1)
        XCTAssertEqual(bench.endings, ["/a"])
        XCTAssertEqual(bench.api.requests.map { $0.headers[.authorization] }, ["Bearer a", "Bearer n"])
    }

    /// #97: the request to log out was sent again.
    func testALogoutEndsTheWait() throws {
        let bench = try LoginBench(settings: waiting(), refuses: true)
        bench.api.enqueue(ScriptedResponse(status: .unauthorized))
        bench.begin("/a")
        bench.pass(5)
        bench.logOut()
        XCTAssertEqual(bench.endings, ["/a login_required"])
        bench.logIn()
        bench.pass(1)
        XCTAssertEqual(bench.api.requests.count, 1)
    }

    /// #133: after a wait that no login ended, nothing was announced any more.
    func testAWaitTimesOutAndTheNextRequestAnnouncesAgain() throws {
        let bench = try LoginBench(settings: waiting(), first: .some(nil))
        bench.begin("/a")
        bench.pass(119)
        XCTAssertEqual(bench.endings, [])
        bench.pass(2)
        XCTAssertEqual(bench.endings, ["/a login_required"])
        bench.begin("/b")
        bench.pass(1)
        XCTAssertEqual(bench.announcements.withLock { $0.count }, 2)
        bench.logIn()
        bench.pass(1)
        XCTAssertEqual(bench.endings, ["/a login_required", "/b"])
    }

    /// microsoft-graph-explorer-v4#1039: the mark of an abandoned login blocked the next login.
    func testAnAbandonedLoginEndsTheWaitAndTheNextRequestAnnouncesAgain() throws {
        let bench = try LoginBench(settings: waiting(), first: .some(nil))
        bench.begin("/a")
        bench.pass(1)
        bench.gate.abandonLogin()
        XCTAssertEqual(bench.endings, ["/a login_required"])
        bench.begin("/b")
        bench.pass(1)
        XCTAssertEqual(bench.announcements.withLock { $0.count }, 2)
        bench.logIn()
        bench.pass(1)
        XCTAssertEqual(bench.endings, ["/a login_required", "/b"])
    }

    /// A login that fails at once is abandoned while it is demanded.
    func testALoginThatIsAbandonedWhileItIsDemandedEndsTheRequestsThatDemandIt() throws {
        let bench = try LoginBench(settings: waiting(), first: .some(nil))
        let gate = bench.gate
        let logins = gate.loginRequired.subscribe(onNext: { _ in gate.abandonLogin() })
        bench.begin("/a")
        bench.begin("/b")
        bench.pass(1)
        XCTAssertEqual(bench.endings, ["/a login_required", "/b login_required"])
        logins.dispose()
        bench.begin("/c")
        bench.pass(1)
        XCTAssertEqual(bench.announcements.withLock { $0.last }, .noCredential)
        bench.logIn()
        bench.pass(1)
        XCTAssertEqual(bench.endings.last, "/c", "a later demand is that of another login")
    }

    func testALoginThatIsAbandonedWhileMoreRightsAreDemandedEndsTheRequest() throws {
        let bench = try LoginBench(settings: waiting())
        let gate = bench.gate
        let logins = gate.stepUpRequired.subscribe(onNext: { _ in gate.abandonLogin() })
        bench.api.enqueue(Self.insufficientScope)
        bench.begin("/a")
        bench.pass(1)
        logins.dispose()
        XCTAssertEqual(bench.endings, ["/a step_up_required"])
    }

    /// The refresh of a request can be refused after the person has cancelled the login that another request demanded.
    func testARequestWhoseLoginIsDemandedAfterAnAbandonedOneWaits() throws {
        let barrier = Barrier()
        let bench = try LoginBench(settings: waiting(), refuses: true)
        bench.api.enqueue(
            ScriptedResponse(status: .unauthorized), ScriptedResponse(status: .unauthorized).delayed(until: barrier))
        bench.begin("/a")
        bench.begin("/b")
        bench.pass(1)
        bench.gate.abandonLogin()
        barrier.release()
        bench.pass(1)
        XCTAssertEqual(bench.endings, ["/a login_required"])
        bench.logIn("n")
        bench.pass(1)
        XCTAssertEqual(bench.endings, ["/a login_required", "/b"])
    }

    /// A service that shuts down must not wait for a request that begins meanwhile.
    func testNoRequestWaitsAfterTheGateHasStoppedWaitingForALogin() throws {
        let bench = try LoginBench(settings: waiting(), first: .some(nil))
        bench.begin("/a")
        bench.pass(1)
        bench.gate.stopWaitingForLogin()
        XCTAssertEqual(bench.endings, ["/a login_required"])
        bench.begin("/b")
        bench.pass(0)
        XCTAssertEqual(bench.endings, ["/a login_required", "/b login_required"])
        XCTAssertEqual(bench.announcements.withLock { $0 }, [.noCredential])
        bench.gate.abandonLogin()
        bench.begin("/c")
        bench.pass(0)
        XCTAssertEqual(bench.endings.last, "/c login_required", "the end of the waiting lasts")
        bench.logIn()
        bench.begin("/d")
        bench.pass(1)
        XCTAssertEqual(bench.endings.last, "/d")
    }

    func testNoRequestWaitsForMoreRightsAfterTheGateHasStoppedWaiting() throws {
        let bench = try LoginBench(settings: waiting())
        bench.api.enqueue(Self.insufficientScope, Self.insufficientScope)
        bench.begin("/a")
        bench.pass(1)
        bench.gate.stopWaitingForLogin()
        bench.begin("/b")
        bench.pass(0)
        XCTAssertEqual(bench.endings, ["/a step_up_required", "/b step_up_required"])
    }

    func testTheNumberOfWaitingRequestsIsLimited() throws {
        let bench = try LoginBench(settings: waiting { $0.loginWait.maximumCount = 2 }, first: .some(nil))
        for path in ["/a", "/b", "/c"] { bench.begin(path) }
        bench.pass(1)
        XCTAssertEqual(bench.endings, ["/c login_required"])
        bench.logIn()
        bench.pass(1)
        XCTAssertEqual(bench.endings, ["/c login_required", "/a", "/b"])
    }

    func testACancelledRequestFreesItsPlaceInTheQueue() throws {
        let bench = try LoginBench(settings: waiting { $0.loginWait.maximumCount = 1 }, first: .some(nil))
        let cancelled = bench.begin("/a")
        bench.pass(1)
        cancelled.dispose()
        bench.begin("/b")
        bench.pass(1)
        bench.logIn()
        bench.pass(1)
        XCTAssertEqual(bench.endings, ["/b"])
    }

    /// rinafcode/teachLink_mobile#624: one user's requests were sent with another user's credential.
    func testRequestsOfOneAccountAreNotSentAsAnother() throws {
        for (subject, outcome) in [("anna", "/a"), ("bert", "/a login_required")] {
            var first = Credential(accessToken: "a", refreshToken: "r")
            first.details.idToken = LoginBench.idToken("anna")
            let bench = try LoginBench(settings: waiting(), first: first, refuses: true)
            bench.api.enqueue(ScriptedResponse(status: .unauthorized))
            bench.begin("/a")
            bench.pass(5)
            bench.logIn("n", idToken: LoginBench.idToken(subject))
            bench.pass(1)
            XCTAssertEqual(bench.endings, [outcome])
        }
    }

    func testALoginOfAnotherProcessIsDetected() throws {
        let bench = try LoginBench(settings: waiting(), first: .some(nil))
        bench.begin("/a")
        bench.pass(5)
        bench.write(StoredCredential(credential: Credential(accessToken: "n", refreshToken: "r"), version: 1))
        bench.pass(2)
        XCTAssertEqual(bench.endings, ["/a"])
    }

    func testADemandForMoreScopesWaitsForALoginAndCausesNoRefresh() throws {
        let bench = try LoginBench(settings: waiting())
        bench.api.enqueue(Self.insufficientScope)
        bench.begin("/a")
        bench.pass(1)
        _ = bench.gate.refreshNow().subscribe()
        bench.pass(5)
        XCTAssertEqual(bench.endings, [])
        bench.logIn("n")
        bench.pass(1)
        XCTAssertEqual(bench.endings, ["/a"])
        XCTAssertEqual(bench.api.requests.last?.headers[.authorization], "Bearer n")
    }

    func testRequestsThatKeepArrivingDoNotDelayTheDetectionOfALoginOfAnotherProcess() throws {
        let bench = try LoginBench(settings: waiting())
        for number in 1...10 {
            bench.api.enqueue(Self.insufficientScope)
            bench.begin("/\(number)")
            bench.scheduler.advanceBy(500)
            if number == 4 { bench.logInElsewhere("n") }
        }
        XCTAssertEqual(bench.endings, (1...6).map { "/\($0)" })
    }

    /// modelcontextprotocol's `scope-retry-limit` allows three logins at most.
    func testAServerThatKeepsDemandingMoreScopesFailsTheRequest() throws {
        let bench = try LoginBench(settings: waiting())
        for _ in 0..<6 {
            bench.api.enqueue(
                ScriptedResponse(status: .forbidden, headers: [.wwwAuthenticate: #"Bearer error="insufficient_scope""#])
            )
        }
        bench.begin("/a")
        for _ in 0..<6 {
            bench.pass(1)
            bench.logIn()
        }
        XCTAssertEqual(bench.endings, ["/a step_up_required"])
        XCTAssertEqual(bench.api.requests.count, 4)
    }

    func testAQueryOfTheSessionStateDoesNotWait() throws {
        let bench = try LoginBench(settings: waiting(), first: .some(nil))
        let state = Locked<SessionState?>(nil)
        let question = bench.gate.session().subscribe { result in state.withLock { $0 = try? result.get() } }
        bench.pass(1)
        XCTAssertEqual(state.withLock { $0 }, .loginRequired)
        question.dispose()
    }
}
