import FreshetCore
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetHTTP

final class CookieJarTests: XCTestCase {
    private let now = Locked(1000.0)

    private func jar(_ cookies: [Cookie] = [], isPublicSuffix: @escaping @Sendable (String) -> Bool = { _ in false })
        -> CookieJar
    {
        CookieJar(cookies, isPublicSuffix: isPublicSuffix, secondsSince1970: { [now] in now.withLock { $0 } })
    }

    /// The cookies that a jar sends to one address after another address has set `fields`.
    private func sent(_ fields: String..., from: String, to: String, in jar: CookieJar? = nil) throws -> String {
        let jar = jar ?? self.jar()
        var headers = HTTPFields()
        for field in fields { headers.append(HTTPField(name: .setCookie, value: field)) }
        jar.store(headers, from: try RequestURL(from))
        return jar.cookies(for: try RequestURL(to)).map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }

    func testACookieWithoutADomainIsSentToItsHostOnly() throws {
        XCTAssertEqual(try sent("a=b", from: "http://x.y.z/", to: "http://x.y.z/"), "a=b")
        XCTAssertEqual(try sent("a=b", from: "http://x.y.z/", to: "https://X.Y.Z:8443/p"), "a=b")
        XCTAssertEqual(try sent("a=b", from: "http://x.y.z/", to: "http://w.x.y.z/"), "")
        XCTAssertEqual(try sent("a=b", from: "http://x.y.z/", to: "http://y.z/"), "")
    }

    func testACookieForADomainIsSentToAllItsHosts() throws {
        for to in ["http://y.z/", "http://x.y.z/", "http://a.b.y.z/"] {
            XCTAssertEqual(try sent("a=b; domain=y.z", from: "http://x.y.z/", to: to), "a=b", to)
            XCTAssertEqual(try sent("a=b; domain=.y.z", from: "http://x.y.z/", to: to), "a=b", to)
        }
        XCTAssertEqual(try sent("a=b; domain=y.z", from: "http://x.y.z/", to: "http://xy.z/"), "")
    }

    /// Other programs and Foundation write a domain with a dot at its beginning.
    func testACookieOfAProgramIgnoresADotAtTheBeginningOfItsDomain() throws {
        let jar = jar([Cookie(name: "a", value: "b", domain: ".Y.z", isHostOnly: false)])
        XCTAssertEqual(jar.cookies.map(\.domain), ["y.z"])
        for to in ["http://y.z/", "http://x.y.z/"] { XCTAssertEqual(try sent(from: to, to: to, in: jar), "a=b", to) }
        XCTAssertEqual(try sent("a=c; domain=y.z", from: "http://y.z/", to: "http://y.z/", in: jar), "a=c")
    }

    func testADomainThatDoesNotContainTheSenderIsRefused() throws {
        for domain in ["other.z", "w.x.y.z", "z", "y.z.", "ww.y.z"] {
            XCTAssertEqual(try sent("a=b; domain=\(domain)", from: "http://x.y.z/", to: "http://x.y.z/"), "", domain)
        }
        XCTAssertEqual(try sent("a=b; domain=0.0.1", from: "http://127.0.0.1/", to: "http://127.0.0.1/"), "")
        XCTAssertEqual(try sent("a=b; domain=127.0.0.1", from: "http://127.0.0.1/", to: "http://127.0.0.1/"), "a=b")
        XCTAssertEqual(try sent("a=b; domain=localhost", from: "http://localhost/", to: "http://localhost/"), "a=b")
        XCTAssertEqual(try sent("a=b", from: "http://[::1]/", to: "http://[::1]/"), "a=b")
    }

    func testAPublicSuffixIsAcceptedAsTheDomainOfItsOwnHostOnly() throws {
        let jar = jar(isPublicSuffix: { $0 == "co.uk" })
        XCTAssertEqual(try sent("a=b; domain=co.uk", from: "http://x.co.uk/", to: "http://x.co.uk/", in: jar), "")
        XCTAssertEqual(try sent("a=b; domain=co.uk", from: "http://co.uk/", to: "http://co.uk/", in: jar), "a=b")
        XCTAssertEqual(jar.cookies(for: try RequestURL("http://x.co.uk/")), [])
    }

    func testADotAtTheEndHidesNoSharedDomain() throws {
        let jar = CookieJar(isPublicSuffix: { $0 == "co.uk" }, secondsSince1970: { 0 })
        for (host, domain, other) in [
            ("evil.com.", "com.", "bank.com."), ("9.9.9.4.", "9.4.", "1.2.9.4."), ("evil.co.uk.", "co.uk.", "b.co.uk."),
        ] {
            jar.store([.setCookie: "a=b; Domain=\(domain)"], from: try RequestURL("https://\(host)/"))
            XCTAssertEqual(jar.cookies(for: try RequestURL("https://\(other)/")).count, 0, domain)
        }
        jar.store([.setCookie: "a=b; Domain=x.example."], from: try RequestURL("https://x.example./"))
        XCTAssertEqual(jar.cookies(for: try RequestURL("https://x.example./")).count, 1)
    }

    func testThePathOfACookieMatchesByDirectory() throws {
        for (path, to, goes) in [
            ("/a", "/a", true), ("/a", "/a/", true), ("/a", "/a/b", true), ("/a", "/a?b", true), ("/a", "/ab", false),
            ("/a", "/", false), ("/a/", "/a", false), ("/a/", "/a/b", true), ("/", "/x", true), ("a", "/d/x", true),
            ("a", "/x", false),
        ] {
            let sent = try sent("a=b; path=\(path)", from: "http://h.z/d/e?q", to: "http://h.z" + to)
            XCTAssertEqual(!sent.isEmpty, goes, "\(path) \(to)")
        }
        XCTAssertEqual(try sent("a=b", from: "http://h.z/d/e", to: "http://h.z/d"), "a=b")
        XCTAssertEqual(try sent("a=b", from: "http://h.z/d/e", to: "http://h.z/"), "")
        XCTAssertEqual(try sent("a=b", from: "http://h.z/d", to: "http://h.z/x"), "a=b")
    }

    func testCookiesAreOrderedByPathLengthThenByAge() throws {
        let fields = ["a=1; path=/", "b=2; path=/d/", "c=3; path=/", "d=4; path=/d/", "a=5; path=/"]
        let jar = jar()
        for field in fields { _ = try sent(field, from: "http://h.z/d/", to: "http://h.z/", in: jar) }
        XCTAssertEqual(try sent(from: "http://h.z/", to: "http://h.z/d/x", in: jar), "b=2; d=4; a=5; c=3")
    }

    func testAnExpiredCookieIsNotSentAndReplacesAnEqualOne() throws {
        let jar = jar()
        XCTAssertEqual(try sent("a=b; max-age=10", from: "http://h.z/", to: "http://h.z/", in: jar), "a=b")
        now.withLock { $0 = 1010 }
        XCTAssertEqual(try sent(from: "http://h.z/", to: "http://h.z/", in: jar), "")
        XCTAssertEqual(jar.cookies, [])
        _ = try sent("a=c", from: "http://h.z/", to: "http://h.z/", in: jar)
        XCTAssertEqual(try sent("a=d; max-age=0", from: "http://h.z/", to: "http://h.z/", in: jar), "")
        _ = try sent("a=e", from: "http://h.z/", to: "http://h.z/", in: jar)
        let past = "Thu, 01 Jan 1970 00:00:01 GMT"
        XCTAssertEqual(try sent("a=f; expires=\(past)", from: "http://h.z/", to: "http://h.z/", in: jar), "")
        XCTAssertEqual(
            try sent("a=g; expires=\(past); max-age=5", from: "http://h.z/", to: "http://h.z/", in: jar), "a=g")
    }

    func testAnExpiredSecureCookieBlocksNoInsecureOne() throws {
        let jar = jar()
        XCTAssertEqual(try sent("a=b; secure; max-age=9", from: "https://h.z/", to: "http://h.z/", in: jar), "")
        XCTAssertEqual(try sent("a=c", from: "http://h.z/", to: "http://h.z/", in: jar), "")
        now.withLock { $0 += 10 }
        XCTAssertEqual(try sent("a=d", from: "http://h.z/", to: "http://h.z/", in: jar), "a=d")
    }

    func testAHostOnlyCookieAndADomainCookieAreDistinct() throws {
        let jar = jar()
        XCTAssertEqual(try sent("a=b; domain=y.z", "a=c", from: "http://y.z/", to: "http://y.z/", in: jar), "a=b; a=c")
        XCTAssertEqual(try sent("a=; max-age=0", from: "http://y.z/", to: "http://y.z/", in: jar), "a=b")
    }

    func testASecureCookieIsSetAndSentOverHTTPSOnly() throws {
        XCTAssertEqual(try sent("a=b; secure", from: "http://h.z/", to: "https://h.z/"), "")
        let jar = jar()
        XCTAssertEqual(try sent("a=b; secure", from: "https://h.z/", to: "https://h.z/", in: jar), "a=b")
        XCTAssertEqual(try sent("a=c", from: "http://h.z/", to: "http://h.z/", in: jar), "")
        XCTAssertEqual(try sent("a=d", from: "https://h.z/", to: "http://h.z/", in: jar), "a=d")
    }

    func testANamePrefixEnforcesItsAttributes() throws {
        for (field, goes) in [
            ("__Secure-a=b; secure", true), ("__Secure-a=b", false), ("__Host-a=b; secure; path=/", true),
            ("__Host-a=b; secure", false), ("__host-a=b; secure; path=/; domain=h.z", false),
        ] {
            XCTAssertEqual(!(try sent(field, from: "https://h.z/", to: "https://h.z/")).isEmpty, goes, field)
        }
    }

    func testTheLeastRecentlyUsedCookieIsEvicted() throws {
        let jar = jar()
        for index in 0..<50 {
            _ = try sent("a\(index)=1; path=/\(index)", from: "http://h.z/", to: "http://h.z/", in: jar)
        }
        _ = jar.cookies(for: try RequestURL("http://h.z/0"))
        _ = try sent("more=1", from: "http://h.z/", to: "http://h.z/", in: jar)
        XCTAssertEqual(jar.cookies.count, 50)
        XCTAssertFalse(jar.cookies.contains { $0.name == "a1" })
    }

    func testAJarContainsAtMostThreeThousandCookies() throws {
        let jar = jar((0..<2999).map { Cookie(name: "a", value: "1", domain: "h\($0).z") })
        for index in 0..<10 { _ = try sent("b=1", from: "http://h\(index).z/", to: "http://h.z/", in: jar) }
        XCTAssertEqual(jar.cookies.count, 3000)
    }

    func testNoDescriptionContainsTheValue() {
        let jar = jar([Cookie(name: "a", value: "secret", domain: "h.z")])
        var dumped = "\(jar) \(jar.cookies) \(String(reflecting: jar.cookies))"
        dump(jar, to: &dumped)
        XCTAssertFalse(dumped.contains("secret"), dumped)
        XCTAssertTrue(dumped.contains("a=… for h.z/"))
    }

    func testAJarSurvivesEncodingAndDecoding() throws {
        let jar = jar()
        _ = try sent(
            "a=b; domain=y.z; path=/p; secure; httponly; max-age=9", "c=d", from: "https://x.y.z/", to: "http://z/",
            in: jar)
        let data = try JSONEncoder().encode(jar.cookies)
        XCTAssertEqual(self.jar(try JSONDecoder().decode([Cookie].self, from: data)).cookies, jar.cookies)
        jar.remove { $0.name == "a" }
        XCTAssertEqual(jar.cookies.map(\.name), ["c"])
        jar.remove()
        XCTAssertEqual(jar.cookies, [])
    }
}
