import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that a wrong clock or a sleeping device neither keeps an expired token in use nor refreshes a valid one for ever.
final class WrongClockTests: FailureTestCase {
    // okta-oidc-js 894, worldmonitor 5932, authkit-nextjs 470: the client refreshed for ever, or never.
    func testAWrongClockDoesNotChangeTheNumberOfRefreshes() throws {
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

    // copilot-api 170, pizauth 48: after a suspend the timer was late, because the monotonic clock had stopped.
    func testATokenThatExpiredDuringSleepOfTheDeviceIsNotSent() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        XCTAssertEqual(try result(of: app.get()).text, "in")
        clocks.sleep(7200)
        XCTAssertEqual(try result(of: app.get()).text, "in")
        XCTAssertEqual(server.tokens, ["access-1.1", "access-2.1"])
    }

    // Only the cache of one cloud SDK reports a new credential that has already expired as a failure. The others refresh again
    // and again.
    func testANewCredentialThatHasAlreadyExpiredIsAFailure() throws {
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

    // angular-oauth2-oidc 1135: the client compared an expiry of the server's clock with the device's clock.
    func testAnExpiryOnTheClockOfTheServerIsConvertedToTheLocalClock() throws {
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

    // The user sets the clock right, or wrong, while a token is in use.
    func testAClockThatIsSetBackDoesNotKeepAnExpiredTokenInUse() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        XCTAssertEqual(try result(of: app.get()).text, "in")
        clocks.set(wrongBy: -86_400)
        pass(3600)
        XCTAssertEqual(try result(of: app.get()).text, "in")
        XCTAssertEqual(server.tokens, ["access-1.1", "access-2.1"])
    }
}
