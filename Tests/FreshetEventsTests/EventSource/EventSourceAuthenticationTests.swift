import Foundation
import FreshetAuth
import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests event streams whose credentials expire.
final class EventSourceAuthenticationTests: XCTestCase {
    private var resources = 0
    private var recorders: [StreamRecorder] = []

    override func setUp() { resources = Resources.total }

    override func tearDown() {
        recorders = []
        XCTAssertEqual(Resources.total, resources)
    }

    private func finish(_ bench: AuthenticatedBench) {
        for recorder in recorders { recorder.dispose() }
        bench.scheduler.start()
    }

    func testAStreamThatEndsWithItsTokenResumesWithTheNewOne() throws {
        let bench = try AuthenticatedBench()
        recorders = try bench.follow()
        for second in [5, 20, 40] {
            bench.scheduler.advanceTo(second * 1000)
            bench.expire()
        }
        bench.scheduler.advanceTo(60_000)
        XCTAssertEqual(recorders[0].reasons, ["ended", "ended", "ended"])
        XCTAssertTrue(recorders[0].isWhole)
        XCTAssertGreaterThan(recorders[0].numbers.count, 450)
        XCTAssertEqual(bench.identity.requestCount, 3)
        XCTAssertEqual(
            bench.api.requests.map(\.bearerToken), ["a1", "a1", "a2", "a2", "a3", "a3", "a4"])
        let ids = bench.api.requests.map { $0.headers[.lastEventID] }
        XCTAssertEqual(ids[1], "50")
        XCTAssertEqual(ids[1], ids[2], "the replay goes on from the same place")
        finish(bench)
    }

    func testManyStreamsShareOneRefreshPerExpiry() throws {
        let bench = try AuthenticatedBench()
        recorders = try bench.follow(40)
        for expiry in 1...8 {
            bench.scheduler.advanceTo(expiry * 8000)
            bench.expire()
        }
        bench.scheduler.advanceTo(75_000)
        XCTAssertEqual(bench.identity.requestCount, 8)
        for recorder in recorders {
            XCTAssertTrue(recorder.isWhole)
            XCTAssertEqual(recorder.opened, 9)
            XCTAssertGreaterThan(recorder.numbers.count, 200)
        }
        finish(bench)
    }

    func testARefusalOfTheFirstConnectionCausesARefreshAndNoFailure() throws {
        let bench = try AuthenticatedBench()
        bench.expire()
        recorders = try bench.follow()
        bench.scheduler.advanceTo(1000)
        XCTAssertEqual(recorders[0].opened, 1)
        XCTAssertEqual(recorders[0].reasons, [])
        XCTAssertTrue(recorders[0].isWhole)
        finish(bench)
    }

    func testATransientRefreshFailureIsRetriedWithTheNextConnection() throws {
        let bench = try AuthenticatedBench()
        recorders = try bench.follow()
        bench.scheduler.advanceTo(1000)
        bench.identity.enqueue(ScriptedResponse(status: .badGateway))
        bench.expire()
        bench.scheduler.advanceTo(30_000)
        XCTAssertEqual(recorders[0].reasons, ["ended", "refresh_failed"])
        XCTAssertEqual(recorders[0].opened, 2)
        XCTAssertTrue(recorders[0].isWhole)
        finish(bench)
    }

    func testARefusedRefreshEndsTheStreams() throws {
        let bench = try AuthenticatedBench()
        recorders = try bench.follow(3)
        bench.scheduler.advanceTo(1000)
        bench.identity.enqueue(.json(#"{"error":"invalid_grant"}"#, status: .badRequest))
        bench.expire()
        bench.scheduler.advanceTo(30_000)
        XCTAssertEqual(recorders.map(\.code), [.loginRequired, .loginRequired, .loginRequired])
        XCTAssertEqual(bench.identity.requestCount, 1)
        finish(bench)
    }

    func testALogoutEndsTheStreams() throws {
        let bench = try AuthenticatedBench()
        recorders = try bench.follow(5)
        bench.scheduler.advanceTo(1000)
        _ = bench.gate.logout().subscribe { _ in }
        bench.scheduler.advanceTo(30_000)
        XCTAssertEqual(Set(recorders.map(\.code)), [.loginRequired])
        XCTAssertTrue(recorders.allSatisfy(\.isWhole))
        XCTAssertEqual(bench.api.abandoned.count, 5)
        XCTAssertEqual(bench.identity.requestCount, 0)
        finish(bench)
    }

    func testAStreamThatWaitsToReconnectDoesNotContinueAsTheNextUser() throws {
        let bench = try AuthenticatedBench()
        recorders = try bench.follow()
        bench.scheduler.advanceTo(1000)
        bench.endStreams()
        bench.scheduler.advanceTo(1100)
        XCTAssertEqual(recorders[0].reasons, ["ended"])
        _ = bench.gate.logout().subscribe { _ in }
        bench.scheduler.advanceTo(1200)
        _ = bench.gate.login(Credential(accessToken: "a1", refreshToken: "r1")).subscribe { _ in }
        bench.scheduler.advanceTo(60_000)
        XCTAssertEqual(recorders[0].code, .loginRequired)
        XCTAssertEqual(bench.api.requestCount, 1)
        finish(bench)
    }

    func testAStreamWhoseSettingsAcceptEveryErrorEndsAfterALogout() throws {
        let bench = try AuthenticatedBench()
        var settings = EventSource.Settings()
        settings.isTransient = { _ in true }
        recorders = try bench.follow(settings: settings)
        bench.scheduler.advanceTo(1000)
        _ = bench.gate.logout().subscribe { _ in }
        _ = bench.gate.login(Credential(accessToken: "a1", refreshToken: "r1")).subscribe { _ in }
        bench.scheduler.advanceTo(60_000)
        XCTAssertEqual(recorders[0].code, .loginRequired)
        XCTAssertEqual(recorders[0].reasons, [])
        XCTAssertEqual(bench.api.requestCount, 1)
        finish(bench)
    }

    func testAStreamIsReopenedWhenItsTokenExpires() throws {
        let bench = try AuthenticatedBench(lifetime: 30)
        recorders = try bench.follow(20)
        bench.scheduler.advanceTo(29_999)
        XCTAssertEqual(bench.api.requestCount, 20)
        bench.scheduler.advanceTo(100_000)
        XCTAssertEqual(bench.identity.requestCount, 3)
        for recorder in recorders {
            XCTAssertEqual(recorder.reasons, ["credential changed", "credential changed", "credential changed"])
            XCTAssertTrue(recorder.isWhole)
            XCTAssertGreaterThan(recorder.numbers.count, 980, "without the wait for a server in trouble")
        }
        finish(bench)
    }

    func testAWallClockThatIsSetBackDoesNotKeepAStreamOpenPastTheExpiryOfItsToken() throws {
        let bench = try AuthenticatedBench(lifetime: 60)
        recorders = try bench.follow()
        bench.scheduler.advanceTo(30_000)
        bench.setWallClock(by: -7200)
        bench.scheduler.advanceTo(31_000)
        recorders += try bench.follow()
        bench.scheduler.advanceTo(62_000)
        XCTAssertEqual(recorders.map(\.reasons), [["credential changed"], ["credential changed"]])
        bench.scheduler.advanceTo(600_000)
        for recorder in recorders {
            XCTAssertGreaterThanOrEqual(recorder.opened, 10)
            XCTAssertTrue(recorder.isWhole)
        }
        finish(bench)
    }

    func testAWallClockThatIsSetPastTheExpiryReopensAStreamWithinAMinute() throws {
        let bench = try AuthenticatedBench(lifetime: 3600)
        recorders = try bench.follow()
        bench.scheduler.advanceTo(300_000)
        bench.setWallClock(by: 7200)
        bench.scheduler.advanceTo(362_000)
        XCTAssertEqual(recorders[0].reasons, ["credential changed"])
        XCTAssertTrue(recorders[0].isWhole)
        finish(bench)
    }

    /// Some servers send the head with the first event.
    func testATokenThatExpiresBeforeTheHeadReopensTheStream() throws {
        let bench = try AuthenticatedBench(lifetime: 30)
        bench.delay = .seconds(35)
        recorders = try bench.follow()
        bench.scheduler.advanceTo(30_000)
        bench.delay = nil
        bench.scheduler.advanceTo(50_000)
        XCTAssertEqual(recorders[0].reasons, ["credential changed"])
        XCTAssertTrue(recorders[0].isWhole)
        finish(bench)
    }

    func testATokenWithLessThanATickLeftIsReopenedOnce() throws {
        let bench = try AuthenticatedBench(lifetime: 30, wallClockLag: 0.0002)
        recorders = try bench.follow()
        bench.scheduler.advanceTo(50_000)
        XCTAssertEqual(recorders[0].reasons, ["credential changed"])
        XCTAssertTrue(recorders[0].isWhole)
        finish(bench)
    }

    func testATokenWithLessThanATickOfACoarseSchedulerLeftIsReopenedOnce() throws {
        let bench = try AuthenticatedBench(lifetime: 30, wallClockLag: 0.02, tick: 0.05)
        recorders = try bench.follow()
        bench.scheduler.advanceTo(1000)
        XCTAssertEqual(recorders[0].reasons, ["credential changed"])
        XCTAssertTrue(recorders[0].isWhole)
        finish(bench)
    }

    func testAnEventCutByTheExpiryOfItsTokenIsDeliveredOnceAndWhole() throws {
        let bench = try AuthenticatedBench(lifetime: 30, inHalves: true)
        recorders = try bench.follow(20)
        bench.scheduler.advanceTo(100_000)
        XCTAssertEqual(bench.identity.requestCount, 3)
        for recorder in recorders {
            XCTAssertEqual(recorder.opened, 4)
            XCTAssertTrue(recorder.isWhole)
            XCTAssertGreaterThan(recorder.numbers.count, 980)
        }
        bench.expire()
        bench.scheduler.advanceTo(110_000)
        XCTAssertTrue(recorders.allSatisfy(\.isWhole))
        finish(bench)
    }

    func testAStreamThatNeverReopensRunsPastTheExpiry() throws {
        let bench = try AuthenticatedBench(lifetime: 30)
        recorders = try bench.follow(reopening: .never)
        bench.scheduler.advanceTo(100_000)
        XCTAssertEqual(bench.api.requestCount, 1)
        XCTAssertEqual(recorders[0].numbers.count, 1000)
        finish(bench)
    }

    func testAReplacedTokenReopensOnlyStreamsConfiguredForIt() throws {
        let bench = try AuthenticatedBench()
        recorders = try bench.follow() + bench.follow(reopening: .onReplacement)
        bench.scheduler.advanceTo(5000)
        bench.expire(endingStreams: false)
        _ = bench.client.get("https://api.example/other").subscribe { _ in }
        bench.scheduler.advanceTo(20_000)
        XCTAssertEqual(recorders.map(\.reasons), [[], ["credential changed"]])
        XCTAssertTrue(recorders.allSatisfy(\.isWhole))
        XCTAssertEqual(bench.identity.requestCount, 1)
        finish(bench)
    }

    func testALoginReopensOnlyStreamsConfiguredForAReplacedToken() throws {
        let bench = try AuthenticatedBench()
        recorders = try bench.follow() + bench.follow(reopening: .onReplacement)
        bench.scheduler.advanceTo(5000)
        _ = bench.gate.login(Credential(accessToken: "a1", refreshToken: "r1")).subscribe { _ in }
        bench.scheduler.advanceTo(20_000)
        XCTAssertEqual(recorders.map(\.reasons), [[], ["credential changed"]])
        XCTAssertTrue(recorders.allSatisfy(\.isWhole))
        finish(bench)
    }

    func testALoginOfAnotherAccountEndsAStreamThatReopensWhenItsTokenIsReplaced() throws {
        let bench = try AuthenticatedBench()
        func login(as subject: String) {
            let claims = Data(#"{"sub":"\#(subject)"}"#.utf8).base64EncodedString().replacing("=", with: "")
            var credential = Credential(accessToken: "a1", refreshToken: "r1")
            credential.details.idToken = "e30.\(claims).s"
            _ = bench.gate.login(credential).subscribe { _ in }
            bench.scheduler.advanceTo(bench.scheduler.clock + 1000)
        }
        login(as: "ada")
        recorders = try bench.follow(reopening: .onReplacement)
        bench.scheduler.advanceTo(5000)
        login(as: "bob")
        bench.scheduler.advanceTo(20_000)
        XCTAssertEqual(recorders[0].code, .loginRequired)
        XCTAssertEqual(bench.api.requestCount, 1)
        finish(bench)
    }
}
