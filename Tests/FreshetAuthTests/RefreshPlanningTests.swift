import FreshetCore
import FreshetCrypto
import FreshetHTTP
import FreshetHTTPTesting
import XCTest

@testable import FreshetAuth

/// Tests when the gate refreshes a credential without a known end, and one that no request uses.
final class RefreshPlanningTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func token(_ claims: String) -> String { "e30.\(Base64URL.encoded(claims.utf8)).x" }

    private func life(of token: String) -> CredentialLifetime {
        let now = Timestamp(wall: 1000, monotonic: Instant(sinceStart: .zero))
        return CredentialLifetime(of: Credential(accessToken: token), from: now, .init(), random: 0.5)
    }

    /// danny-avila/LibreChat PR#13248: the client kept a JWT without `expires_in` for a year.
    func testTheExpiryOfAJWTSchedulesTheRefreshAndDoesNotEndTheLifetime() {
        let life = life(of: token(#"{"exp":4600,"iat":1000}"#))
        XCTAssertEqual(life.due.wall, 4540)
        XCTAssertEqual(life.end, .never)
    }

    func testAnUnusableExpiryClaimIsIgnored() {
        for claims in [#"{"exp":0}"#, #"{"exp":999}"#, #"{"exp":"x"}"#, #"{}"#, "[]", "x"] {
            XCTAssertEqual(life(of: token(claims)), .endless, claims)
        }
        for token in ["opaque", "a.b", "a.b.c.d.e", "..", "e30.e30.", "e30.=.x"] {
            XCTAssertEqual(life(of: token), .endless, token)
        }
    }

    /// itpropro/nuxt-oidc-auth#234 and others: the two clocks differ by an hour.
    func testASlowClockDoesNotExtendTheLifetime() {
        XCTAssertEqual(life(of: token(#"{"exp":8200,"iat":4600}"#)).due.wall, 4540)
    }

    /// Such a token would be refreshed for each request.
    func testATokenThatIsIssuedAfterItsExpiryHasTheLifeOfItsExpiry() {
        for issued in ["4600", "1000000", #""inf""#, #""-inf""#, #""nan""#] {
            XCTAssertEqual(life(of: token(#"{"exp":4600,"iat":\#(issued)}"#)).due.wall, 4540, issued)
        }
    }

    func testAJWTIsUsedOnAfterItsRefreshFails() throws {
        let bench = try LoginBench(first: Credential(accessToken: token(#"{"exp":1100}"#), refreshToken: nil))
        _ = bench.get()
        bench.pass(200)
        guard case .success? = bench.get() else { return XCTFail("it was taken for expired") }
        XCTAssertEqual(bench.gate.current?.expiresAt, nil)
    }

    /// Without these refreshes a request after a week would find the token expired, and its refresh token too.
    func testAnIdleSessionIsRefreshedForAWeek() throws {
        var settings = RefreshGate.Settings()
        settings.refreshesWhileIdle = true
        for isUsed in [true, false] {
            let bench = try LoginBench(settings: settings, life: 3600)
            if isUsed { _ = bench.get() }
            for _ in 0..<(7 * 24) { bench.pass(3600) }
            XCTAssertGreaterThan(bench.refreshes.withLock { $0 }, 7 * 24 - 1)
            XCTAssertLessThan(bench.refreshes.withLock { $0 }, 4 * 7 * 24)
            XCTAssertFalse(bench.gate.current?.isExpired(at: bench.now) ?? true)
        }
    }

    /// keycloak/keycloak#8919: the server refuses a refresh token that was not used for too long.
    func testARefreshTokenThatExpiresBeforeTheAccessTokenIsUsedInTime() throws {
        var settings = RefreshGate.Settings()
        for isIdle in [true, false] {
            settings.refreshesWhileIdle = isIdle
            var first = Credential(accessToken: "a", refreshToken: "r", expiresAt: 100_000)
            first.details.refreshExpiresAt = 1000 + 1800
            let bench = try LoginBench(settings: settings, first: first)
            _ = bench.get()
            bench.pass(960)
            XCTAssertEqual(bench.refreshes.withLock { $0 }, isIdle ? 1 : 0)
        }
    }

    func testARefreshTokenThatLastsLongerThanAnyClockCountsIsNotRefreshedWhileIdle() throws {
        var settings = RefreshGate.Settings()
        settings.refreshesWhileIdle = true
        var first = Credential(accessToken: "a", refreshToken: "r")
        first.details.refreshExpiresAt = 1e30
        let bench = try LoginBench(settings: settings, first: first)
        _ = bench.get()
        bench.pass(3600)
        XCTAssertEqual(bench.refreshes.withLock { $0 }, 0)
    }
}
