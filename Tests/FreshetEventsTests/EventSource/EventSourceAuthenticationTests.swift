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
    private var followers: [Follower] = []

    override func setUp() { resources = Resources.total }

    override func tearDown() {
        followers = []
        XCTAssertEqual(Resources.total, resources)
    }

    private func leave(_ bench: AuthenticatedBench) {
        for follower in followers { follower.leave() }
        bench.scheduler.start()
    }

    func testAStreamThatEndsWithItsTokenResumesWithTheNewOne() throws {
        let bench = try AuthenticatedBench()
        followers = try bench.follow()
        for second in [5, 20, 40] {
            bench.scheduler.advanceTo(second * 1000)
            bench.expire()
        }
        bench.scheduler.advanceTo(60_000)
        XCTAssertEqual(followers[0].reasons, ["ended", "ended", "ended"])
        XCTAssertTrue(followers[0].isWhole)
        XCTAssertGreaterThan(followers[0].numbers.count, 450)
        XCTAssertEqual(bench.identity.requestCount, 3)
        XCTAssertEqual(
            bench.api.requests.map(\.bearerToken), ["a1", "a1", "a2", "a2", "a3", "a3", "a4"])
        let ids = bench.api.requests.map { $0.headers[.lastEventID] }
        XCTAssertEqual(ids[1], "50")
        XCTAssertEqual(ids[1], ids[2], "the replay goes on from the same place")
        leave(bench)
    }

    func testManyStreamsShareOneRefreshPerExpiry() throws {
        let bench = try AuthenticatedBench()
        followers = try bench.follow(40)
        for expiry in 1...8 {
            bench.scheduler.advanceTo(expiry * 8000)
            bench.expire()
        }
        bench.scheduler.advanceTo(75_000)
        XCTAssertEqual(bench.identity.requestCount, 8)
        for follower in followers {
            XCTAssertTrue(follower.isWhole)
            XCTAssertEqual(follower.opened, 9)
            XCTAssertGreaterThan(follower.numbers.count, 200)
        }
        leave(bench)
    }

    func testARefusalOfTheFirstConnectionCausesARefreshAndNoFailure() throws {
        let bench = try AuthenticatedBench()
        bench.expire()
        followers = try bench.follow()
        bench.scheduler.advanceTo(1000)
        XCTAssertEqual(followers[0].opened, 1)
        XCTAssertEqual(followers[0].reasons, [])
        XCTAssertTrue(followers[0].isWhole)
        leave(bench)
    }

    func testATransientRefreshFailureIsRetriedWithTheNextConnection() throws {
        let bench = try AuthenticatedBench()
        followers = try bench.follow()
        bench.scheduler.advanceTo(1000)
        bench.identity.enqueue(ScriptedResponse(status: .badGateway))
        bench.expire()
        bench.scheduler.advanceTo(30_000)
        XCTAssertEqual(followers[0].reasons, ["ended", "refresh_failed"])
        XCTAssertEqual(followers[0].opened, 2)
        XCTAssertTrue(followers[0].isWhole)
        leave(bench)
    }

    func testARefusedRefreshEndsTheStreams() throws {
        let bench = try AuthenticatedBench()
        followers = try bench.follow(3)
        bench.scheduler.advanceTo(1000)
        bench.identity.enqueue(.json(#"{"error":"invalid_grant"}"#, status: .badRequest))
        bench.expire()
        bench.scheduler.advanceTo(30_000)
        XCTAssertEqual(followers.map(\.code), [.loginRequired, .loginRequired, .loginRequired])
        XCTAssertEqual(bench.identity.requestCount, 1)
        leave(bench)
    }

    func testALogoutEndsTheStreams() throws {
        let bench = try AuthenticatedBench()
        followers = try bench.follow(5)
        bench.scheduler.advanceTo(1000)
        _ = bench.gate.logout().subscribe { _ in }
        bench.scheduler.advanceTo(30_000)
        XCTAssertEqual(Set(followers.map(\.code)), [.loginRequired])
        XCTAssertTrue(followers.allSatisfy(\.isWhole))
        XCTAssertEqual(bench.api.abandoned.count, 5)
        XCTAssertEqual(bench.identity.requestCount, 0)
        leave(bench)
    }

    func testAStreamIsReopenedWhenItsTokenExpires() throws {
        let bench = try AuthenticatedBench(lifetime: 30)
        followers = try bench.follow(20)
        bench.scheduler.advanceTo(29_999)
        XCTAssertEqual(bench.api.requestCount, 20)
        bench.scheduler.advanceTo(100_000)
        XCTAssertEqual(bench.identity.requestCount, 3)
        for follower in followers {
            XCTAssertEqual(follower.reasons, ["credential changed", "credential changed", "credential changed"])
            XCTAssertTrue(follower.isWhole)
            XCTAssertGreaterThan(follower.numbers.count, 980, "without the wait for a server in trouble")
        }
        leave(bench)
    }

    func testATokenWithLessThanATickLeftIsReopenedOnce() throws {
        let bench = try AuthenticatedBench(lifetime: 30, wallClockLag: 0.0002)
        followers = try bench.follow()
        bench.scheduler.advanceTo(50_000)
        XCTAssertEqual(followers[0].reasons, ["credential changed"])
        XCTAssertTrue(followers[0].isWhole)
        leave(bench)
    }

    func testATokenWithLessThanATickOfACoarseSchedulerLeftIsReopenedOnce() throws {
        let bench = try AuthenticatedBench(lifetime: 30, wallClockLag: 0.02, tick: 0.05)
        followers = try bench.follow()
        bench.scheduler.advanceTo(1000)
        XCTAssertEqual(followers[0].reasons, ["credential changed"])
        XCTAssertTrue(followers[0].isWhole)
        leave(bench)
    }

    func testAnEventCutByTheExpiryOfItsTokenIsDeliveredOnceAndWhole() throws {
        let bench = try AuthenticatedBench(lifetime: 30, inHalves: true)
        followers = try bench.follow(20)
        bench.scheduler.advanceTo(100_000)
        XCTAssertEqual(bench.identity.requestCount, 3)
        for follower in followers {
            XCTAssertEqual(follower.opened, 4)
            XCTAssertTrue(follower.isWhole)
            XCTAssertGreaterThan(follower.numbers.count, 980)
        }
        bench.expire()
        bench.scheduler.advanceTo(110_000)
        XCTAssertTrue(followers.allSatisfy(\.isWhole))
        leave(bench)
    }

    func testAStreamThatNeverReopensRunsPastTheExpiry() throws {
        let bench = try AuthenticatedBench(lifetime: 30)
        followers = try bench.follow(reopening: .never)
        bench.scheduler.advanceTo(100_000)
        XCTAssertEqual(bench.api.requestCount, 1)
        XCTAssertEqual(followers[0].numbers.count, 1000)
        leave(bench)
    }

    func testAReplacedTokenReopensOnlyStreamsConfiguredForIt() throws {
        let bench = try AuthenticatedBench()
        followers = try bench.follow() + bench.follow(reopening: .onReplacement)
        bench.scheduler.advanceTo(5000)
        bench.expire(endingStreams: false)
        _ = bench.client.get("https://api.example/other").subscribe { _ in }
        bench.scheduler.advanceTo(20_000)
        XCTAssertEqual(followers.map(\.reasons), [[], ["credential changed"]])
        XCTAssertTrue(followers.allSatisfy(\.isWhole))
        XCTAssertEqual(bench.identity.requestCount, 1)
        leave(bench)
    }
}
