import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

/// Tests logins and logouts of another process, which this one finds in the store.
final class OtherProcessTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private static let waiting: RefreshGate.Settings = {
        var settings = RefreshGate.Settings()
        settings.whenLoginIsRequired = .wait
        return settings
    }()

    func testARequestThatWaitsAfterARefusedRefreshContinuesAfterALoginElsewhere() throws {
        let bench = try LoginBench(settings: Self.waiting, refuses: true)
        bench.api.enqueue(ScriptedResponse(status: .unauthorized))
        bench.begin("/a")
        bench.pass(3)
        bench.logInElsewhere("n")
        bench.pass(2)
        XCTAssertEqual(bench.endings, ["/a"])
        XCTAssertEqual(bench.api.requests.map { $0.headers[.authorization] }, ["Bearer a", "Bearer n"])
    }

    /// A script that writes the file has no reason to count versions.
    func testALoginThatIsWrittenUnderTheVersionOfTheRefusedOneEndsTheWait() throws {
        for refreshToken in ["new", nil] {
            let bench = try LoginBench(settings: Self.waiting, refuses: true)
            bench.api.enqueue(ScriptedResponse(status: .unauthorized))
            bench.begin("/a")
            bench.pass(3)
            let credential = Credential(accessToken: "n", refreshToken: refreshToken)
            bench.write(StoredCredential(credential: credential, version: 1))
            bench.pass(2)
            XCTAssertEqual(bench.endings, ["/a"])
            XCTAssertEqual(bench.api.requests.map { $0.headers[.authorization] }, ["Bearer a", "Bearer n"])
        }
    }

    func testALoginThatIsWrittenUnderTheVersionOfAWorkingOneMeetsADemandForMoreScopes() throws {
        var settings = Self.waiting
        settings.whenStepUpIsRequired = .wait
        let bench = try LoginBench(settings: settings)
        bench.api.enqueue(
            ScriptedResponse(status: .forbidden, headers: [.wwwAuthenticate: #"Bearer error="insufficient_scope""#]))
        bench.begin("/a")
        bench.pass(3)
        var credential = Credential(accessToken: "n", refreshToken: "new")
        credential.details.loginID = "second"
        bench.write(StoredCredential(credential: credential, version: 1))
        bench.pass(2)
        XCTAssertEqual(bench.endings, ["/a"])
        XCTAssertEqual(bench.api.requests.map { $0.headers[.authorization] }, ["Bearer a", "Bearer n"])
    }

    func testALoginThatIsWrittenUnderTheVersionOfAnExpiredOneIsUsedAsItIs() throws {
        let bench = try LoginBench(settings: Self.waiting, refuses: true)
        bench.begin("/first")
        bench.pass(1)
        bench.write(StoredCredential(credential: Credential(accessToken: "n"), version: 1))
        bench.api.enqueue(ScriptedResponse(status: .unauthorized))
        bench.begin("/a")
        bench.begin("/b")
        bench.pass(2)
        XCTAssertEqual(bench.endings, ["/first", "/a", "/b"])
        XCTAssertEqual(bench.api.requests.suffix(1).map { $0.headers[.authorization] }, ["Bearer n"])
        XCTAssertEqual(bench.announcements.withLock { $0 }, [])
        let state = Locked<SessionState?>(nil)
        let question = bench.gate.session().subscribe { result in state.withLock { $0 = try? result.get() } }
        bench.pass(1)
        question.dispose()
        XCTAssertEqual(state.withLock { $0 }, .signedIn)
    }

    func testALateRefusalOfTheOldTokenDoesNotRefuseTheLoginUnderItsVersion() throws {
        let bench = try LoginBench(settings: Self.waiting, refuses: true)
        let barrier = Barrier()
        bench.api.enqueue(
            ScriptedResponse(status: .unauthorized), ScriptedResponse(status: .unauthorized).delayed(until: barrier))
        bench.begin("/a")
        bench.begin("/b")
        bench.pass(3)
        bench.write(StoredCredential(credential: Credential(accessToken: "n"), version: 1))
        bench.pass(2)
        barrier.release()
        bench.pass(2)
        XCTAssertEqual(bench.endings, ["/a", "/b"])
        XCTAssertEqual(
            bench.api.requests.map { $0.headers[.authorization] }, ["Bearer a", "Bearer a", "Bearer n", "Bearer n"])
        XCTAssertEqual(bench.announcements.withLock { $0 }, [.refused])
    }

    func testARequestDoesNotContinueWithTheCredentialOfALaterSession() throws {
        let bench = try LoginBench()
        bench.logIn("a1")
        let barrier = Barrier()
        bench.api.enqueue(ScriptedResponse(status: .unauthorized).delayed(until: barrier))
        bench.begin("/a")
        bench.pass(1)
        bench.logOutElsewhere()
        bench.logInElsewhere("other")
        barrier.release()
        bench.pass(1)
        XCTAssertEqual(bench.endings, ["/a login_required"])
        XCTAssertEqual(bench.api.requests.map { $0.headers[.authorization] }, ["Bearer a1"])
        bench.begin("/b")
        bench.pass(1)
        XCTAssertEqual(bench.api.requests.last?.headers[.authorization], "Bearer other")
    }

    func testRequestsUnderWayEndWhenTheCredentialOfALaterSessionIsFound() throws {
        let bench = try LoginBench()
        bench.logIn("a1")
        bench.api.enqueue(ScriptedResponse().delayed(until: Barrier()), ScriptedResponse(status: .unauthorized))
        bench.begin("/slow")
        bench.pass(1)
        bench.logOutElsewhere()
        bench.logInElsewhere("other")
        bench.begin("/b")
        bench.pass(1)
        XCTAssertEqual(Set(bench.endings), ["/slow login_required", "/b login_required"])
    }

    func testAnEmptyStoreEndsWhatBelongsToTheSession() throws {
        let bench = try LoginBench()
        bench.logIn("a1")
        let barrier = Barrier()
        bench.api.enqueue(
            ScriptedResponse(status: .unauthorized).delayed(until: barrier), ScriptedResponse(status: .unauthorized))
        bench.begin("/slow")
        bench.pass(1)
        bench.logOutElsewhere()
        bench.begin("/b")
        bench.pass(1)
        XCTAssertEqual(Set(bench.endings), ["/slow login_required", "/b login_required"])
        bench.logInElsewhere("other")
        barrier.release()
        bench.begin("/c")
        bench.pass(40)
        XCTAssertEqual(bench.endings.last, "/c")
        XCTAssertEqual(
            bench.api.requests.map { $0.headers[.authorization] }, ["Bearer a1", "Bearer a1", "Bearer other"])
    }

    // A service that logs in on `noCredential` would undo the user's logout.
    func testALogoutElsewhereIsAnnouncedAsALogout() throws {
        let bench = try LoginBench()
        bench.logIn("a1")
        bench.api.enqueue(ScriptedResponse(status: .unauthorized))
        bench.logOutElsewhere()
        bench.begin("/a")
        bench.pass(1)
        XCTAssertEqual(bench.announcements.withLock { $0 }, [.loggedOut])
        let ended = Locked<[String]>([])
        bench.gate.whenSessionEnds(of: 1) { error in ended.withLock { $0.append(error.message) } }.dispose()
        XCTAssertEqual(ended.withLock { $0 }, ["the session was logged out"], "a late use ends at once")
        bench.gate.abandonLogin()
        bench.begin("/b")
        bench.pass(1)
        let messages = bench.outcomes.withLock { outcomes in
            outcomes.map { outcome in
                if case .failure(let error as HTTPClientError) = outcome.outcome { error.message } else { "" }
            }
        }
        XCTAssertEqual(messages, ["the session was logged out", "the session was logged out"])
        XCTAssertEqual(bench.announcements.withLock { $0 }, [.loggedOut, .loggedOut])
        bench.logIn("a2")
        bench.gate.logout().subscribe().dispose()
        bench.pass(1)
        XCTAssertEqual(bench.announcements.withLock { $0 }, [.loggedOut, .loggedOut, .loggedOut])
    }

    func testOnlyRequestsThatWereNotSentYetWaitForALoginAfterALogoutElsewhere() throws {
        let bench = try LoginBench(settings: Self.waiting)
        bench.logIn("a1")
        bench.api.enqueue(ScriptedResponse(status: .unauthorized))
        bench.logOutElsewhere()
        bench.begin("/sent")
        bench.pass(1)
        XCTAssertEqual(bench.endings, ["/sent login_required"])
        bench.begin("/new")
        bench.pass(5)
        bench.logInElsewhere("other")
        bench.pass(2)
        XCTAssertEqual(bench.endings, ["/sent login_required", "/new"])
        XCTAssertEqual(bench.api.requests.last?.headers[.authorization], "Bearer other")
    }

    func testTheRequestThatFindsAnotherSessionBelongsToIt() throws {
        let bench = try LoginBench()
        bench.logIn("a1", until: bench.now + 10)
        bench.pass(20)
        bench.logOutElsewhere()
        bench.logInElsewhere("other")
        bench.api.enqueue(ScriptedResponse(status: .unauthorized))
        bench.begin("/new")
        bench.pass(2)
        XCTAssertEqual(bench.endings, ["/new"], "its retry too")
        XCTAssertEqual(bench.api.requests.first?.headers[.authorization], "Bearer other")
    }

    func testTheRequestThatFindsALogoutElsewhereWaitsForALogin() throws {
        let bench = try LoginBench(settings: Self.waiting)
        bench.logIn("a1", until: bench.now + 10)
        bench.pass(20)
        bench.logOutElsewhere()
        bench.begin("/new")
        bench.pass(5)
        bench.logInElsewhere("other")
        bench.pass(2)
        XCTAssertEqual(bench.endings, ["/new"])
    }

    func testALoginElsewhereWithoutALogoutContinuesTheSession() throws {
        let bench = try LoginBench()
        bench.logIn("a1")
        bench.api.enqueue(ScriptedResponse(status: .unauthorized))
        bench.logInElsewhere("a2")
        bench.begin("/a")
        bench.pass(1)
        XCTAssertEqual(bench.endings, ["/a"])
        XCTAssertEqual(bench.api.requests.map { $0.headers[.authorization] }, ["Bearer a1", "Bearer a2"])
    }

    func testARequestThatWaitsForALoginFailsIfALaterSessionBegins() throws {
        let bench = try LoginBench(settings: Self.waiting, refuses: true)
        bench.logIn("a1")
        bench.api.enqueue(ScriptedResponse(status: .unauthorized))
        bench.begin("/a")
        bench.pass(3)
        bench.logOutElsewhere()
        bench.logInElsewhere("other")
        bench.pass(2)
        XCTAssertEqual(bench.endings, ["/a login_required"])
    }

    /// The request waits for its retry, and is not in flight, when the other session is found.
    func testARetryIsNotSentInALaterSession() throws {
        let bench = try LoginBench(retries: RetryPolicy(limit: 1))
        bench.logIn("a1")
        bench.api.enqueue(
            ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "10"]),
            ScriptedResponse(status: .unauthorized))
        bench.begin("/a")
        bench.pass(1)
        bench.logOutElsewhere()
        bench.logInElsewhere("other")
        bench.begin("/b")
        bench.pass(20)
        XCTAssertEqual(Set(bench.endings), ["/a login_required", "/b login_required"])
        XCTAssertEqual(bench.api.requests.map { $0.headers[.authorization] }, ["Bearer a1", "Bearer a1"])
    }

    func testACredentialInUseEndsWhenALaterSessionIsFound() throws {
        let bench = try LoginBench()
        bench.logIn("a1")
        let ends = Locked<[String]>([])
        let use = bench.gate.withCredential { _ in Observable<Int>.never() }.subscribe(
            onError: { error in ends.withLock { $0.append((error as? HTTPClientError)?.code.rawValue ?? "") } })
        bench.logOutElsewhere()
        bench.logInElsewhere("other")
        let found = Locked<String?>(nil)
        let question = bench.gate.refreshNow().subscribe { result in
            found.withLock { $0 = (try? result.get())?.accessToken }
        }
        bench.pass(1)
        XCTAssertEqual(ends.withLock { $0 }, ["login_required"])
        XCTAssertNotNil(found.withLock { $0 })
        use.dispose()
        question.dispose()
    }
}
