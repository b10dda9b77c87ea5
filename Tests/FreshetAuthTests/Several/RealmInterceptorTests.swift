import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

final class RealmInterceptorTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private static func challenge(_ realm: String) -> ScriptedResponse {
        ScriptedResponse(status: .unauthorized, headers: [.wwwAuthenticate: #"Bearer realm="\#(realm)""#])
    }

    /// `/shop/` belongs to the realm `shop`, and `/shop/admin/` to `admin`. Each realm accepts only its own tokens.
    private func bench(valid: @escaping @Sendable (String) -> Bool = { _ in true }) -> SeveralBench {
        let bench = SeveralBench()
        bench.api.route { request in
            let realm =
                request.target.hasPrefix("/shop/admin/")
                ? "admin" : request.target.hasPrefix("/shop/") ? "shop" : request.target.hasPrefix("/x/") ? "x" : ""
            guard !realm.isEmpty else { return ScriptedResponse(body: "open") }
            let token = request.bearerToken ?? ""
            return token.hasPrefix(realm) && valid(token)
                ? ScriptedResponse(body: realm)
                : Self.challenge(realm)
        }
        return bench
    }

    private func realms(_ bench: SeveralBench, otherwise: String? = nil) throws -> RealmInterceptor {
        RealmInterceptor(
            [("shop", try bench.interceptor("shop")), ("admin", try bench.interceptor("admin"))],
            otherwise: try otherwise.map { try bench.interceptor($0) })
    }

    func testTheRealmOfTheChallengeSelectsTheCredentialAndItsPathIsRemembered() throws {
        let bench = bench()
        let realms = try realms(bench)
        XCTAssertEqual(try bench.send("/shop/1", through: realms)?.get().text, "shop")
        XCTAssertEqual(bench.seen(), ["/shop/1 -", "/shop/1 shop"])
        XCTAssertEqual(try bench.send("/shop/2/3?q=/", through: realms)?.get().text, "shop")
        XCTAssertEqual(bench.seen(), ["/shop/2/3?q=/ shop"], "at once, at that depth and below")
        XCTAssertEqual(try bench.send("/shop/admin/1", through: realms)?.get().text, "admin")
        XCTAssertEqual(bench.seen(), ["/shop/admin/1 shop", "/shop/admin/1 admin"])
        XCTAssertEqual(try bench.send("/shop/admin/2", through: realms)?.get().text, "admin")
        XCTAssertEqual(try bench.send("/shop/4", through: realms)?.get().text, "shop", "the deepest that is known")
        XCTAssertEqual(try bench.send("/open", through: realms)?.get().text, "open")
        XCTAssertEqual(bench.seen(), ["/shop/admin/2 admin", "/shop/4 shop", "/open -"], "not above")
        XCTAssertEqual(bench.refreshed.withLock { $0 }, [], "nothing had ended")
    }

    func testAChallengeOfTheSelectedRealmIndicatesExpiry() throws {
        let bench = bench { $0.hasSuffix("+") }
        let realms = try realms(bench)
        XCTAssertEqual(try bench.send("/shop/admin/1", through: realms)?.get().text, "admin")
        XCTAssertEqual(bench.seen(), ["/shop/admin/1 -", "/shop/admin/1 admin", "/shop/admin/1 admin+"])
        XCTAssertEqual(bench.refreshed.withLock { $0 }, ["admin"], "that one alone")
    }

    func testTheFallbackCredentialIsUsedWhereNoRealmIsKnown() throws {
        let bench = bench()
        let realms = try realms(bench, otherwise: "x")
        XCTAssertEqual(try bench.send("/x/1", through: realms)?.get().text, "x")
        XCTAssertEqual(try bench.send("/shop/1", through: realms)?.get().text, "shop")
        XCTAssertEqual(bench.seen(), ["/x/1 x", "/shop/1 x", "/shop/1 shop"])
        XCTAssertEqual(bench.refreshed.withLock { $0 }, [])
    }

    func testAChallengeOfAnUnknownRealmIsDelivered() throws {
        let bench = bench()
        XCTAssertEqual(try bench.send("/x/1", through: realms(bench))?.get().status, .unauthorized)
        XCTAssertEqual(bench.seen(), ["/x/1 -"])
    }

    func testAServerThatNamesAnotherRealmEachTimeReceivesOneRequestForEach() throws {
        let bench = SeveralBench()
        bench.api.route { request in Self.challenge(request.bearerToken == "shop" ? "admin" : "shop") }
        let realms = try realms(bench)
        XCTAssertEqual(try bench.send("/", through: realms)?.get().status, .unauthorized)
        XCTAssertEqual(bench.seen(), ["/ -", "/ shop", "/ admin"])
        XCTAssertEqual(bench.refreshed.withLock { $0 }, [])
    }

    func testOfSeveralChallengesTheFirstKnownRealmIsUsed() throws {
        let bench = SeveralBench()
        bench.api.enqueue(
            ScriptedResponse(
                status: .unauthorized,
                headers: [.wwwAuthenticate: #"Basic realm="other", Bearer realm="admin", Bearer realm="shop""#]))
        _ = try bench.send("/", through: realms(bench))
        XCTAssertEqual(bench.seen(), ["/ -", "/ admin"])
    }

    func testEqualRealmsOfDifferentOriginsAreDistinct() throws {
        let bench = SeveralBench()
        bench.api.route { request in request.bearerToken == nil ? Self.challenge("shop") : ScriptedResponse() }
        let realms = RealmInterceptor([
            ("shop", try bench.interceptor("a", for: "https://a.example")),
            ("shop", try bench.interceptor("b", for: "https://b.example")),
        ])
        for url in ["https://a.example/", "https://b.example/", "https://c.example/", "https://a.example/x"] {
            _ = try bench.send(url, through: realms)
        }
        XCTAssertEqual(bench.seen(), ["/ -", "/ a", "/ -", "/ b", "/ -", "/x a"])
    }

    func testARequestWithItsOwnAuthorizationIsNotChanged() throws {
        let bench = bench()
        let client = HTTPClient(
            transport: bench.api, scheduler: bench.scheduler, interceptors: [try realms(bench)])
        let ending = Ending<Response>()
        _ = client.get("https://api.example/shop/1", headers: [.authorization: "Bearer mine"])
            .subscribe { ending.set($0) }
        bench.scheduler.start()
        XCTAssertEqual(try ending.value?.get().status, .unauthorized)
        XCTAssertEqual(bench.seen(), ["/shop/1 mine"])
    }

    func testTheNumberOfRememberedRealmsIsBounded() throws {
        var spaces = ProtectionSpaces()
        for number in 0..<10_000 { spaces.learn("r\(number)", of: try RequestURL("https://h/\(number)/x")) }
        let known = try (0..<10_000).filter { spaces.realm(of: try RequestURL("https://h/\($0)/y")) != nil }
        XCTAssertLessThanOrEqual(known.count, 256)
        XCTAssertEqual(spaces.realm(of: try RequestURL("https://h/9999/a/b/c")), "r9999")
        XCTAssertNil(spaces.realm(of: try RequestURL("https://h/9999")))
        XCTAssertNil(spaces.realm(of: try RequestURL("https://h:8443/9999/x")))
    }
}
