import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that a response that arrives later changes nothing about a logout or a login.
final class LogoutTests: FailureTestCase {
    // Ktor 8312, logto-io/kotlin 253: the response arrived after the logout, and at the next start the user was signed in.
    func testALateResponseDoesNotUndoALogout() throws {
        let server = server { $0.refreshDelay = .seconds(5) }
        let store = MemoryStore(server.signIn())
        let app = try App(at: server, store: store)
        server.expire()
        let waiting = start(app.get())
        pass(1)
        let logout = start(app.gate.logout())
        finish(waiting)
        XCTAssertEqual(waiting.code, .loginRequired)
        pass(20)
        XCTAssertNotNil(try logout.value?.get())
        XCTAssertNil(try stored(in: store).credential)
        XCTAssertNil(app.gate.current)
        let restarted = try App(at: server, store: store)
        XCTAssertEqual(error(of: restarted.get())?.code, .loginRequired)
        XCTAssertEqual(app.outcomes, [.discarded])
    }

    // Alamofire's code: setting a credential during a refresh allows a second refresh to begin, and the late response of the
    // first one overwrites the credential that was set.
    func testALateResponseDoesNotOverwriteALogin() throws {
        let server = server { $0.refreshDelay = .seconds(5) }
        let store = MemoryStore(server.signIn())
        let app = try App(at: server, store: store)
        server.expire()
        let waiting = start(app.get("/waiting"))
        pass(1)
        let other = server.signIn()
        let login = start(app.gate.login(other))
        let during = start(app.get("/during"))
        finish(waiting, during)
        XCTAssertNotNil(try login.value?.get())
        pass(20)
        XCTAssertEqual([waiting.text, during.text], ["in", "in"])
        XCTAssertEqual(try stored(in: store).credential?.accessToken, other.accessToken)
        XCTAssertEqual(app.gate.current?.accessToken, other.accessToken)
        XCTAssertEqual(server.counts, .init(refreshes: 1), "and no second refresh began")
        XCTAssertEqual(server.tokens, ["access-1.1", "access-1.2", "access-1.2"])
    }

    // No other client announces exactly once that a login is required, and again after a login. kitapKurdu 371 asks for it.
    func testALoginIsRequestedOnceAndAgainAfterTheNextLogin() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        for round in 1...2 {
            server.endSessions()
            let calls = (0..<20).map { start(app.get("/\($0)")) }
            finish(calls)
            XCTAssertEqual(calls.map(\.code), Array(repeating: .loginRequired, count: 20))
            XCTAssertEqual(error(of: app.get())?.code, .loginRequired)
            _ = try result(of: app.gate.logout())
            XCTAssertEqual(app.logins, Array(repeating: .refused, count: round), "it has been asked for")
            _ = try result(of: app.gate.login(server.signIn()))
            XCTAssertEqual(try result(of: app.get()).text, "in")
        }
    }

    func testALogoutWithoutASessionIsAnnounced() throws {
        let app = try App(at: server(), store: MemoryStore())
        _ = try result(of: app.gate.logout())
        XCTAssertEqual(error(of: app.get())?.code, .loginRequired)
        XCTAssertEqual(app.logins, [.loggedOut])
    }

    // logto 253, GlycemicGPT 859, ifc-lite 2632: a session that was revoked lived on in the late response.
    func testTheLateResponseOfARefreshIsRevokedAfterALogout() throws {
        let server = server { $0.refreshDelay = .seconds(5) }
        let app = try App(
            at: server, store: MemoryStore(server.signIn()), authenticator: server.authenticator(revokes: true))
        server.expire()
        let waiting = start(app.get())
        pass(1)
        let logout = start(app.gate.logout())
        finish(waiting)
        pass(10)
        XCTAssertNotNil(try logout.value?.get())
        XCTAssertTrue(server.revoked.contains("refresh-2.1"), "\(server.revoked)")
    }

    func testALogoutRevokesTheStoredCredentialAndSucceedsWithoutTheServer() throws {
        for response in [ScriptedResponse(), .init(status: .serviceUnavailable), .reset, .silence] {
            let server = server()
            let store = MemoryStore(server.signIn())
            let app = try App(at: server, store: store, authenticator: server.authenticator(revokes: true))
            XCTAssertEqual(try result(of: app.get()).text, "in")
            server.identity.enqueue(response)
            let before = clocks.scheduler.clock
            _ = try result(of: app.gate.logout())
            XCTAssertLessThanOrEqual(clocks.scheduler.clock - before, 6000)
            XCTAssertEqual(Set(server.identity.requests.map(\.path)), ["/revoke"])
            XCTAssertNil(try stored(in: store).credential)
        }
    }

    // No other client ends the requests that are running: a response of the old session reached the screen of the next session.
    func testALogoutEndsRequestsOfItsSessionAndNotOfTheNext() throws {
        let barrier = Barrier()
        let server = server { rules in
            rules.resource = {
                $0.path == "/quick"
                    ? ScriptedResponse(body: "in") : ScriptedResponse(body: "old").delayed(until: barrier)
            }
        }
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        let calls = (0..<5).map { start(app.get("/\($0)")) }
        let stream = start(app.gate.withCredential { _ in Observable<Int>.never() }.toArray())
        pass(1)
        XCTAssertEqual(server.api.requestCount, 5)
        _ = try result(of: app.gate.logout())
        XCTAssertEqual(calls.map(\.code), Array(repeating: .loginRequired, count: 5))
        XCTAssertEqual(stream.code, .loginRequired)
        XCTAssertEqual(server.api.abandoned.count, 5)
        _ = try result(of: app.gate.login(server.signIn()))
        let next = start(app.get("/next"))
        XCTAssertEqual(try result(of: app.get("/quick")).text, "in")
        XCTAssertNil(next.value)
        barrier.release()
        finish(next)
        XCTAssertEqual(next.text, "old", "as this server says to all")
    }
}
