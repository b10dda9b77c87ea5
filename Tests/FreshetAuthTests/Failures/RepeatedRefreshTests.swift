import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that one credential is refreshed once: a second refresh with its refresh token logs the user out.
final class RepeatedRefreshTests: FailureTestCase {
    // Alamofire 3297, 3928: the check whether a refresh is needed and the start of the refresh were two steps.
    func testManyRequestsThatStartWithAStaleCredentialRefreshItOnce() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        pass(3600)
        let responses = (0..<100).map { start(app.get("/\($0)")) }
        finish(responses)
        XCTAssertEqual(responses.map(\.text), Array(repeating: "in", count: 100))
        XCTAssertEqual(server.counts, .init(refreshes: 1))
        XCTAssertEqual(server.api.requestCount, 100, "nothing was sent with the old token")
    }

    // frigg 636: three refreshes, two avoidable refusals, four of five requests rejected, four false alarms.
    func testFiveRefusalsAtOnceCauseOneRefreshAndNoLogin() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        let responses = (0..<5).map { start(app.get("/\($0)")) }
        finish(responses)
        XCTAssertEqual(responses.map(\.text), Array(repeating: "in", count: 5))
        XCTAssertEqual(server.counts, .init(refreshes: 1))
        XCTAssertEqual(app.logins, [])
    }

    // Ktor 5681: a call that the server refused after the refresh had ended began another refresh.
    func testALateRefusalOfAReplacedCredentialIsReplayedAndNotRefreshed() throws {
        let server = server {
            $0.sign = ExpiryResponse(response: ScriptedResponse(status: .unauthorized).after(.seconds(5)))
        }
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        let early = start(app.get("/early"))
        pass(3)
        let late = start(app.get("/late"))
        finish(early, late)
        XCTAssertEqual([early.text, late.text], ["in", "in"])
        XCTAssertEqual(server.tokens, ["access-1.1", "access-1.1", "access-2.1", "access-2.1"])
        XCTAssertEqual(server.counts, .init(refreshes: 1))
    }

    // axios-auth-refresh 56, 90, 113: of three requests only the first was replayed, and the others were dropped.
    func testAllOfThreeParallelRefusalsAreReplayed() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        let responses = (0..<3).map { start(app.get("/\($0)")) }
        finish(responses)
        XCTAssertEqual(responses.map(\.text), ["in", "in", "in"])
        XCTAssertEqual(server.api.requests.suffix(3).map(\.path).sorted(), ["/0", "/1", "/2"])
    }

    // axios-auth-refresh 210, helm-api 259: each instance ran a refresh of its own for the same credential.
    func testTwoClientsWithOneStoreShareOneRefresh() throws {
        let server = server()
        let store = MemoryStore(server.signIn())
        let apps = try (0..<2).map { _ in try App(at: server, store: store) }
        server.expire()
        let responses = apps.flatMap { app in (0..<3).map { start(app.get("/\($0)")) } }
        finish(responses)
        XCTAssertEqual(responses.map(\.text), Array(repeating: "in", count: 6))
        XCTAssertEqual(server.counts, .init(refreshes: 1))
        XCTAssertEqual(apps.map(\.outcomes), [[.refreshed], [.adopted]])
    }

    // Duende Support 1286: a caller that had waited for the lock refreshed with a token that it had read before.
    func testAfterWaitingForTheLockTheStoredPairIsUsed() throws {
        let server = server()
        let store = ReplicatedStore(server.signIn())
        let apps = try (0..<2).map { _ in try App(at: server, store: store) }
        server.expire()
        let responses = apps.map { start($0.get()) }
        finish(responses)
        XCTAssertEqual(responses.map(\.text), ["in", "in"])
        XCTAssertEqual(server.counts, .init(refreshes: 1), "and no refresh token twice")
    }

    // Spring Security 9094: the request that found the token expired failed, and only the next request had the new token.
    func testTheRequestThatFoundTheTokenExpiredReceivesItsResponse() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        XCTAssertEqual(try result(of: app.get()).text, "in")
        XCTAssertEqual(server.tokens, ["access-1.1", "access-2.1"])
    }

    // fresh 141: requests were sent with a token that was known to have expired.
    func testATokenThatIsKnownToHaveExpiredIsNotSent() throws {
        let server = server { $0.refreshDelay = .seconds(5) }
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        pass(3600)
        let first = start(app.get("/first"))
        pass(2)
        let during = start(app.get("/during"))
        finish(first, during)
        XCTAssertEqual([first.text, during.text], ["in", "in"])
        XCTAssertEqual(server.tokens, ["access-2.1", "access-2.1"])
    }

    // MeetingBar 974: a caller that forced a refresh got the credential of an ordinary refresh that was running.
    func testAForcedRefreshDoesNotJoinAnOrdinaryOne() throws {
        let server = server { $0.refreshDelay = .seconds(5) }
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        let ordinary = start(app.gate.credential(replacing: 1))
        pass(1)
        let forced = start(app.gate.refreshNow())
        finish(ordinary)
        XCTAssertEqual(try ordinary.value?.get().accessToken, "access-2.1")
        finish(forced)
        XCTAssertEqual(try forced.value?.get().accessToken, "access-3.1")
        XCTAssertEqual(server.counts, .init(refreshes: 2))
    }

    // The same report, for a caller whose credential failed while the gate still reads the store.
    func testAReplacementJoinsARefreshThatAnOrdinaryRequestStarted() throws {
        let server = server()
        let store = SlowStore(server.signIn(), on: clocks.scheduler)
        let app = try App(at: server, store: store)
        let ordinary = start(app.gate.credential())
        let forced = start(app.gate.credential(replacing: 1))
        finish(ordinary, forced)
        XCTAssertEqual(try forced.value?.get().accessToken, "access-2.1")
        XCTAssertEqual(server.counts, .init(refreshes: 1))
    }

    // Duende 360, simple-oauth2 88: a shared refresh returned the token of another user.
    func testTwoAccountsAtOneServerRefreshSeparatelyAndKeepTheirOwnTokens() throws {
        let server = server { $0.resource = { ScriptedResponse(body: $0.bearerToken ?? "") } }
        let apps = try (0..<2).map { _ in try App(at: server, store: MemoryStore(server.signIn())) }
        server.expire()
        let responses = apps.map { app in (0..<5).map { start(app.get("/\($0)")) } }
        finish(responses.flatMap { $0 })
        XCTAssertEqual(responses.map { Set($0.map(\.text)) }, [["access-2.1"], ["access-2.2"]])
        XCTAssertEqual(server.counts, .init(refreshes: 2))
    }
}
