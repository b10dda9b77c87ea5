import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that a token that still works is refreshed in the background, while requests use it.
final class BackgroundRenewalTests: FailureTestCase {
    private func renewing(lifetime: Double = 3600) -> StrictServer {
        server { rules in
            rules.lifetime = lifetime
            rules.refreshDelay = .seconds(5)
            rules.letsOldTokensEnd = true
        }
    }

    private func app(_ server: StrictServer, random: Double = 0) throws -> App {
        let app = try App(at: server, store: MemoryStore(server.signIn())) { $0.random = { random } }
        XCTAssertEqual(try result(of: app.get()).text, "in")
        return app
    }

    // google-auth-library-java 3, 4, aws-sdk-go-v2 949: every hour all requests waited for a refresh.
    func testNoRequestWaitsForTheRenewalOfAValidToken() throws {
        let server = renewing()
        let app = try app(server)
        pass(2701)
        let before = clocks.scheduler.clock
        let responses = (0..<20).map { start(app.get("/\($0)")) }
        XCTAssertEqual(responses.map(\.text), Array(repeating: "in", count: 20))
        XCTAssertEqual(clocks.scheduler.clock, before, "not for a moment")
        pass(6)
        XCTAssertEqual(app.gate.current?.accessToken, "access-2.1")
        XCTAssertEqual(server.counts, .init(refreshes: 1))
        XCTAssertEqual(app.refreshes.withLock { $0.map(\.cause) }, [.ahead])
    }

    // AWS's clients have these windows. None of the clients that refresh after a 401 has them.
    func testTheRenewalWindowIsWiderForALongerLifetime() throws {
        for (life, window) in [(1200.0, 300.0), (3600, 900), (86_400, 3600)] {
            let server = renewing(lifetime: life)
            let app = try app(server)
            pass(life - window - 2)
            XCTAssertEqual(try result(of: app.get()).text, "in")
            pass(20)
            XCTAssertEqual(server.counts, .init(), "not before")
            XCTAssertEqual(try result(of: app.get()).text, "in")
            pass(20)
            XCTAssertEqual(server.counts, .init(refreshes: 1))
        }
    }

    // In other clients, programs that started together refreshed together.
    func testClientsWithTokensOfOneAgeRenewThemAtDifferentTimes() throws {
        let server = renewing()
        let chances = [0, 0.5, 0.99]
        let apps = try chances.map { try app(server, random: $0) }
        var renewed: [Int: Int] = [:]
        for second in 2640..<3500 {
            pass(Double(second) - Double(clocks.scheduler.clock) / 1000)
            for (number, app) in apps.enumerated() {
                XCTAssertEqual(start(app.get()).text, "in")
                if app.gate.current?.accessToken.hasPrefix("access-2") == true, renewed[number] == nil {
                    renewed[number] = second
                }
            }
        }
        let times = renewed.sorted { $0.key < $1.key }.map(\.value)
        XCTAssertEqual(times.count, 3)
        for (early, late) in zip(times, times.dropFirst()) { XCTAssertGreaterThan(late - early, 120) }
    }

    // A replay after 401, a refresh ahead of expiry and the old token on failure: the credential caches of the cloud SDKs have
    // two of these three, and the HTTP clients have one.
    func testAFailedRenewalKeepsTheOldTokenAndIsNotRetriedByEveryRequest() throws {
        let server = renewing()
        let app = try app(server)
        for _ in 0..<100 { server.identity.enqueue(.init(status: .serviceUnavailable)) }
        pass(2701)
        for _ in 0..<60 {
            XCTAssertEqual(start(app.get()).text, "in")
            pass(1)
        }
        XCTAssertEqual(server.identity.requestCount, 1)
        XCTAssertEqual(app.logins, [])
        XCTAssertEqual(app.gate.current?.accessToken, "access-1.1")
    }

    // The setting is for servers that refuse some requests sooner than others.
    func testRequestsUseTheOldTokenDuringARefreshWhereThatIsConfigured() throws {
        let server = renewing()
        let app = try App(at: server, store: MemoryStore(server.signIn())) { $0.whileRefreshing = .useOld }
        XCTAssertEqual(try result(of: app.get()).text, "in")
        let refresh = start(app.gate.credential(replacing: 1))
        pass(1)
        XCTAssertEqual(start(app.get()).text, "in", "at once")
        finish(refresh)
        XCTAssertEqual(try refresh.value?.get().accessToken, "access-2.1")
    }
}
