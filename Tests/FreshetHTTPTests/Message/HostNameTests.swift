import FreshetHTTP
import HTTPTypes
import XCTest

/// Tests hosts beyond ASCII, which can be written in two ways.
final class HostNameTests: XCTestCase {
    private let bücher = "xn--bcher-kva.example"

    func testUnicodeAndPunycodeFormsOfAHostAreOneOrigin() throws {
        for host in [
            "b\u{FC}cher.example", "B\u{DC}CHER.example", "bu\u{308}cher.EXAMPLE", "xn--bcher-kva.example",
            "XN--BCHER-KVA.example", "b\u{FC}cher\u{3002}example", "b\u{FC}\u{AD}cher.example",
            "\u{FF42}\u{FC}cher.example",
        ] {
            let url = try RequestURL("https://\(host):8443/a")
            XCTAssertEqual(url.host, bücher, host)
            XCTAssertEqual(url.absoluteString, "https://\(bücher):8443/a")
            XCTAssertEqual(url.origin, try Origin("https://\(bücher):8443"))
            XCTAssertEqual(Origin(scheme: "https", host: host, port: 8443), url.origin)
            XCTAssertEqual(try RequestURL("http://a.example/").resolving("//\(host)/").host, bücher)
        }
    }

    func testHostNamesInManyScriptsAreEncodedAndDecoded() {
        // The names are those of RFC 3492 section 7.1 that are in lower case, and some that are in use.
        for (name, ascii) in [
            (
                "\u{4ED6}\u{4EEC}\u{4E3A}\u{4EC0}\u{4E48}\u{4E0D}\u{8BF4}\u{4E2D}\u{6587}",
                "xn--ihqwcrb4cv8a8dqg056pqjye"
            ),
            ("\u{5DE}\u{5D4}\u{5E4}\u{5E9}\u{5D5}\u{5D8}\u{5DC}\u{5D0}", "xn--8dbbaz6abl2e"),
            ("fa\u{DF}.de", "xn--fa-hia.de"), ("\u{4F8B}\u{3048}.jp", "xn--r8jz45g.jp"),
            ("m\u{FC}nchen.de", "xn--mnchen-3ya.de"),
            ("\u{43F}\u{440}\u{438}\u{43C}\u{435}\u{440}.\u{440}\u{444}", "xn--e1afmkfd.xn--p1ai"),
            ("\u{B2E4}.kr", "xn--2j1b.kr"), ("vi\u{1EC7}t.vn", "xn--vit-5kz.vn"),
        ] {
            XCTAssertEqual(HostName.readable(HostName.normalized(name)), "\(name) (\(HostName.normalized(name)))")
            if ascii != "xn--8dbbaz6abl2e" { XCTAssertEqual(HostName.normalized(name), ascii) }
        }
        for (apart, together) in [
            ("\u{1103}\u{1161}.kr", "\u{B2E4}.kr"), ("vie\u{323}\u{302}t.vn", "vi\u{1EC7}t.vn"),
            ("\u{438}\u{306}", "\u{439}"), ("\u{304B}\u{3099}", "\u{304C}"), ("\u{3B1}\u{301}", "\u{3AC}"),
        ] {
            XCTAssertEqual(HostName.normalized(apart), HostName.normalized(together), together)
            XCTAssertTrue(HostName.normalized(apart).hasPrefix("xn--") || apart.contains("vi"), apart)
        }
    }

    func testAnInvalidHostNameIsUnchanged() {
        for host in [
            "a\u{2488}b", "xn--\u{FC}", "\u{301}a", "\u{FB01}sh", "a\u{FF0F}b", "a\u{FF20}b", "a\u{FF1A}b", "\u{AD}",
            "api.example",
            String(repeating: "\u{FC}", count: 200), "\u{FC}" + String(repeating: "a", count: 60), "xn--", "xn--a-",
        ] {
            XCTAssertEqual(HostName.normalized(host), host)
            XCTAssertEqual(HostName.readable(host), host)
        }
    }

    func testAnInvalidPunycodeNameIsNotDecoded() {
        // These hosts are not in the canonical form of the names they encode, or encode no letters.
        for host in ["xn--Bcher-kva", "xn--abc-", "xn--n3h.example", "xn--99999999999", "xn--a-ecp", "xn---", "-"] {
            XCTAssertEqual(HostName.readable(host), host)
        }
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let length = Int.random(in: 0...70, using: &random)
            let text = String(
                decoding: (0..<length).map { _ in "abcz019-".utf8.randomElement(using: &random)! }, as: UTF8.self)
            let host = "xn--" + text
            let shown = HostName.readable(host)
            // By scalars, because some letters form one character with the space that follows.
            let name = String(shown.unicodeScalars.prefix { $0 != " " })
            if shown != host { XCTAssertEqual(HostName.normalized(name), host) }
        }
    }

    func testUnicodeAndPunycodeFormsOfAHostShareCookies() throws {
        let jar = CookieJar()
        jar.store([.setCookie: "a=1; Domain=b\u{FC}cher.example"], from: try RequestURL("https://www.\(bücher)/"))
        XCTAssertEqual(jar.cookies(for: try RequestURL("https://b\u{FC}cher.example/")).map(\.name), ["a"])
        let given = Cookie(name: "b", value: "2", domain: "b\u{FC}cher.example", isHostOnly: true)
        XCTAssertEqual(given.domain, bücher)
    }
}
