import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Neither a wrong clock nor a sleeping device keeps a dead token in use, or refreshes a living one for ever.
final class WrongClockTests: FailureTestCase {
    // okta-oidc-js 894, worldmonitor 5932, authkit-nextjs 470: refreshed for ever, or never.
    func testADeviceWhoseClockIsWrongRefreshesAsOftenAsOneWhoseIsRight() throws {
        for hours in [-30.0, 0, 2, 50] {
            clocks.set(wrongBy: hours * 3600)
            let server = server()
            let app = try App(at: server, store: MemoryStore(server.signIn()))
            for _ in 0..<50 {
                XCTAssertEqual(try result(of: app.get()).text, "in")
                pass(300)
            }
            XCTAssertEqual(server.api.requestCount, 50, "none was refused")
            XCTAssertTrue((4...6).contains(server.counts.refreshes), "\(server.counts)")
        }
    }

    // copilot-api 170, pizauth 48: after a suspend the timer was late, for the monotonic clock had stood.
    func testATokenThatEndedWhileTheDeviceSleptIsNotSentAfterwards() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        XCTAssertEqual(try result(of: app.get()).text, "in")
        clocks.sleep(7200)
        XCTAssertEqual(try result(of: app.get()).text, "in")
        XCTAssertEqual(server.tokens, ["access-1.1", "access-2.1"])
    }

    // Only one cloud's caches take a new credential that has ended for a failure; the others ask on and on.
    func testANewCredentialThatHasEndedAlreadyIsAFailure() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        server.identity.enqueue(.json(#"{"access_token":"a","refresh_token":"refresh-1.1","expires_in":-1}"#))
        let error = error(of: app.get())
        XCTAssertEqual(error?.code, .refreshFailed)
        XCTAssertTrue(error?.message.contains("already expired") ?? false)
        XCTAssertEqual(server.api.requestCount, 1)
        XCTAssertEqual(app.logins, [])
        XCTAssertEqual(app.outcomes, [.failed])
    }

    // angular-oauth2-oidc 1135: an expiry on the server's clock was read by the device's.
    func testAnExpiryOnTheServersClockIsReadByTheServersClock() throws {
        for hours in [-30.0, 2, 50] {
            clocks.set(wrongBy: hours * 3600)
            let server = server()
            let authenticator = ClosureAuthenticator { [clocks] _ in
                var new = server.signIn()
                new.expiresAt = clocks!.server + 3600
                new.issuedAt = clocks!.server
                return .just(new)
            }
            let app = try App(
                at: server, store: MemoryStore(server.signIn()), authenticator: authenticator)
            server.expire()
            for _ in 0..<50 {
                XCTAssertEqual(try result(of: app.get()).text, "in")
                pass(300)
            }
            XCTAssertEqual(server.api.requestCount, 51, "none was refused but the first")
            XCTAssertTrue((4...7).contains(app.outcomes.count), "\(app.outcomes)")
        }
    }

    // The other half of a wrong clock: it is set right, or wrong, while a token is in use.
    func testAClockThatIsSetBackDoesNotKeepADeadTokenInUse() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        XCTAssertEqual(try result(of: app.get()).text, "in")
        clocks.set(wrongBy: -86_400)
        pass(3600)
        XCTAssertEqual(try result(of: app.get()).text, "in")
        XCTAssertEqual(server.tokens, ["access-1.1", "access-2.1"])
    }
}
