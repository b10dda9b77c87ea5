import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that only a definite refusal ends a session, and that nothing is sent with the session after that refusal.
final class LostSessionTests: FailureTestCase {
    // Alamofire 3290, 3877: the queued calls were sent with the old token, and refreshed twice more.
    func testAfterARefusalTheOldTokenIsNotSentAndNoRefreshIsRequested() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.endSessions()
        let first = (0..<3).map { start(app.get("/\($0)")) }
        pass(0.5)
        let queued = (0..<3).map { start(app.get("/queued\($0)")) }
        finish(first + queued)
        XCTAssertEqual((first + queued).map(\.code), Array(repeating: .loginRequired, count: 6))
        XCTAssertEqual(server.api.requests.map(\.path), ["/0", "/1", "/2"])
        XCTAssertEqual(server.identity.requestCount, 1)
    }

    // Ktor 8285, mui-x 22947, matrix-os 1761: the first caller's cancellation cancelled the refresh, and the other callers
    // failed.
    func testACancelledFirstCallerLeavesTheRefreshToTheOthers() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        let first = app.get("/first").subscribe { _ in XCTFail("it has left") }
        let second = start(app.get("/second"))
        pass(0.5)
        first.dispose()
        finish(second)
        XCTAssertEqual(second.text, "in")
        XCTAssertEqual(server.counts, .init(refreshes: 1))
    }

    // The same reports: the server had rotated the tokens, and the new pair was lost.
    func testARefreshThatAllCallersCancelledIsStillStored() throws {
        let server = server()
        let store = MemoryStore(server.signIn())
        let app = try App(at: server, store: store)
        server.expire()
        let waiters = (0..<3).map { app.get("/\($0)").subscribe { _ in XCTFail("it has left") } }
        pass(0.5)
        for waiter in waiters { waiter.dispose() }
        pass(10)
        XCTAssertEqual(try stored(in: store).credential?.refreshToken, "refresh-2.1")
        XCTAssertEqual(try result(of: app.get()).text, "in")
        XCTAssertEqual(server.counts, .init(refreshes: 1))
    }

    // luke 570: the first caller that cancelled cleared the slot while the refresh ran, and the next caller spent the same
    // token.
    func testALaterCallerJoinsTheRefreshOfACancelledOne() throws {
        let server = server { $0.refreshDelay = .seconds(5) }
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        let first = app.get("/first").subscribe { _ in XCTFail("it has left") }
        pass(1)
        first.dispose()
        pass(1)
        XCTAssertEqual(try result(of: app.get("/later")).text, "in")
        XCTAssertEqual(server.counts, .init(refreshes: 1))
    }

    // cohub 152: a late refusal of an obsolete refresh cleared the newer session.
    func testALateRefusalDoesNotEndANewerSession() throws {
        let server = server { $0.refreshDelay = .seconds(5) }
        let store = MemoryStore(server.signIn())
        let app = try App(at: server, store: store)
        server.endSessions()
        let waiting = start(app.get("/waiting"))
        pass(1)
        let login = start(app.gate.login(server.signIn()))
        pass(10)
        XCTAssertNotNil(try login.value?.get())
        XCTAssertEqual(waiting.text, "in")
        XCTAssertFalse(try stored(in: store).isRefused)
        XCTAssertEqual(try result(of: app.get()).text, "in")
        XCTAssertEqual(app.logins, [])
    }

    // Ktor 8470: the refresh returned nothing, and the client continued to use the old token.
    func testACredentialWhoseRefreshWasRefusedIsNoLongerUsed() throws {
        let server = server()
        let store = MemoryStore(server.signIn())
        let app = try App(at: server, store: store)
        server.endSessions()
        XCTAssertEqual(error(of: app.get())?.code, .loginRequired)
        XCTAssertNil(app.gate.current)
        for _ in 0..<3 { XCTAssertEqual(error(of: app.get())?.code, .loginRequired) }
        XCTAssertEqual(server.api.requestCount, 1)
        let restarted = try App(at: server, store: store)
        XCTAssertEqual(error(of: restarted.get())?.code, .loginRequired)
        XCTAssertEqual(server.api.requestCount, 1)
        XCTAssertEqual(server.identity.requestCount, 1)
    }

    // golang/oauth2 84, 131, Auth0.swift 490, denkeeper 283: the rotated token was only in memory, or was stored too late.
    func testTheRotatedPairIsStoredBeforeItIsUsed() throws {
        let seen = Locked<[String?]>([])
        let store = Locked<SlowStore?>(nil)
        let server = server { rules in
            rules.resource = { _ in
                seen.withLock { $0.append(store.withLock { $0 }?.record.credential?.refreshToken) }
                return ScriptedResponse(body: "in")
            }
        }
        store.withLock { $0 = SlowStore(server.signIn(), on: clocks.scheduler, delay: .seconds(1)) }
        let app = try App(at: server, store: store.withLock { $0! })
        server.expire()
        let responses = (0..<3).map { start(app.get("/\($0)")) }
        finish(responses)
        XCTAssertEqual(responses.map(\.text), ["in", "in", "in"])
        XCTAssertEqual(seen.withLock { $0 }, Array(repeating: "refresh-2.1", count: 3))
        store.withLock { $0 = nil }
    }

    // The same reports, on a disk that is full for a moment: the next refresh must not send the spent token.
    func testAnUnstoredPairIsStoredBeforeAnotherRefresh() throws {
        let server = server()
        let store = SlowStore(server.signIn(), on: clocks.scheduler)
        let app = try App(at: server, store: store)
        server.expire()
        store.failWrites(1)
        XCTAssertEqual(error(of: app.get())?.code, .store)
        XCTAssertEqual(try result(of: app.get()).text, "in")
        XCTAssertEqual(store.record.credential?.refreshToken, "refresh-2.1")
        XCTAssertEqual(server.counts, .init(refreshes: 1))
    }

    // hydrogen 3916, schulydev 476, synaplan 1355: a bad gateway, a timeout or a 429 deleted the tokens.
    func testATemporaryFailureKeepsTheTokensAndRequiresNoLogin() throws {
        let passing: [ScriptedResponse] =
            [408, 425, 429, 500, 502, 503, 504].map { ScriptedResponse(status: .init(code: $0)) }
            + [
                .reset, .close, .silence, .json("<html>"), .json("{}"), .raw("garbage"),
                ScriptedResponse(status: .found),
            ]
        for response in passing {
            let server = server()
            let store = MemoryStore(server.signIn())
            let app = try App(at: server, store: store)
            server.expire()
            server.identity.enqueue(response)
            XCTAssertEqual(error(of: app.get())?.code, .refreshFailed)
            XCTAssertEqual(try stored(in: store).credential?.refreshToken, "refresh-1.1")
            XCTAssertEqual(app.logins, [])
            pass(60)
            XCTAssertEqual(try result(of: app.get()).text, "in")
        }
    }
}
