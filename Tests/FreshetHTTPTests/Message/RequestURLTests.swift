import FreshetHTTP
import XCTest

final class RequestURLTests: XCTestCase {
    func testAURLIsSplitIntoSchemeHostPortPathAndQuery() throws {
        let url = try RequestURL("HTTPS://API.Example.com:8443/a/b?c=d#fragment")
        XCTAssertEqual(url.scheme, "https")
        XCTAssertEqual(url.host, "api.example.com")
        XCTAssertEqual(url.port, 8443)
        XCTAssertEqual(url.pathAndQuery, "/a/b?c=d")
        XCTAssertEqual(url.absoluteString, "https://api.example.com:8443/a/b?c=d")
    }

    func testADefaultPortAndAnEmptyPathAreFilledIn() throws {
        XCTAssertEqual(try RequestURL("http://h").absoluteString, "http://h/")
        XCTAssertEqual(try RequestURL("http://h?q").absoluteString, "http://h/?q")
        XCTAssertEqual(try RequestURL("https://h:443/").origin, try RequestURL("https://h").origin)
        XCTAssertEqual(try RequestURL("http://h:/x").port, 80)
    }

    func testAURLThatNeedsNoNormalizationIsParsedLikeAnyOther() {
        for rest in [
            "h", "h/", "h:80", "h:8080/a", "h:0/", "h:65535/", "h:65536/", "h:00080/", "h:/", "h:000080/", "h:8x/",
            "h//a", "h/a/./b", "h/.a", "h/a/..", "h/a?b=/../c", "h/a?b#c", "h#c", "h?a", "h/a b", "h/é", "h/%41",
            "-.a/",
            "h_a/", "H/", "", "/", ":80/", "u@h/", "h/\u{7F}", "h/{a}", "h/a;b=c&d,e!f*g'(h)~$+@:",
        ] {
            // A scheme in upper case avoids the fast path.
            XCTAssertEqual(try? RequestURL("http://\(rest)"), try? RequestURL("HTTP://\(rest)"), rest)
            XCTAssertEqual(try? RequestURL("https://\(rest)"), try? RequestURL("HTTPS://\(rest)"), rest)
        }
    }

    func testAnIPv6AddressKeepsItsBrackets() throws {
        let url = try RequestURL("http://[::1]:8080/x")
        XCTAssertEqual(url.host, "[::1]")
        XCTAssertEqual(url.port, 8080)
        XCTAssertEqual(try RequestURL("http://[0:0:0:0:0:0:0:1]/").origin, try RequestURL("http://[::1]").origin)
        XCTAssertEqual(try RequestURL("http://[2001:DB8::A]/").host, "[2001:db8::a]")
        XCTAssertEqual(try RequestURL("http://[fe80::1%25eth0]/").host, "[fe80::1%25eth0]")
        for text in [
            "[:::]", "[1:2]", "[fe80::1%25]", "[fe80::1%eth0]", "[fe80::1%25a b]", "[::1]x", "[fe80::1%25a%0a]",
        ] {
            XCTAssertThrowsError(try RequestURL("http://\(text)/"), text)
        }
    }

    func testAnInvalidURLIsRefusedWithoutNamingItsPassword() {
        for text in [
            "", "/relative", "example.com", "ftp://example.com/", "file:///etc/passwd", "http://", "http:///path",
            "http://user:secret@host/", "http://user@host/", "http://h:99999/", "http://h:-1/", "http://h:80x/",
            "http://h/a b", "http://h/\r\nX: y", "http://h/\u{0}", "http://[::1/", "http://[::zz]/", "http://a b/",
            "http://h\u{7F}/", "http:h", "http:/h", "javascript:alert(1)",
        ] {
            XCTAssertThrowsError(try RequestURL(text), text) { error in
                XCTAssertEqual((error as? HTTPClientError)?.code, .invalidRequest, text)
                XCTAssertFalse("\(error)".contains("secret"))
            }
        }
    }

    func testNonASCIICharactersArePercentEncoded() throws {
        XCTAssertEqual(try RequestURL("http://h/ä?q=\"|\"").pathAndQuery, "/%C3%A4?q=%22%7C%22")
        XCTAssertEqual(try RequestURL("http://h/%20%2F").pathAndQuery, "/%20%2F")
    }

    func testThePathIsNormalizedAsItIsSent() throws {
        XCTAssertEqual(try RequestURL("http://h/a/../b/./c?d=/../e").pathAndQuery, "/b/c?d=/../e")
        XCTAssertEqual(try RequestURL("http://h/../..").pathAndQuery, "/")
        XCTAssertEqual(try RequestURL("http://h/a//b/").pathAndQuery, "/a//b/")
    }

    func testAFragmentIsDroppedEvenWithACombiningMark() throws {
        XCTAssertEqual(try RequestURL("http://h/a#\u{301}secret").absoluteString, "http://h/a")
        XCTAssertEqual(try RequestURL("http://h#\u{301}secret").absoluteString, "http://h/")
    }

    func testAPathThatBeginsWithACombiningMarkHasOneSlash() throws {
        XCTAssertEqual(try RequestURL("https://h/\u{301}a").pathAndQuery, "/%CC%81a")
    }

    func testABracketInAHostNameIsRefused() {
        for url in ["http://a[b/", "http://a]/", "http://[::1/"] { XCTAssertThrowsError(try RequestURL(url), url) }
    }

    func testADescriptionMasksTheValuesOfTheQueryAndIsNotAURLWithoutIt() throws {
        let url = try RequestURL("http://h/a?token=secret&page=2")
        XCTAssertEqual("\(url)", "http://h/a?token=REDACTED&page=REDACTED")
        XCTAssertEqual(String(reflecting: url), "http://h/a?token=REDACTED&page=REDACTED")
        XCTAssertEqual(url.redacted, "http://h/a")
    }

    /// The examples of RFC 3986 section 5.4 that lead to http.
    func testReferencesResolveAsInTheRFC() throws {
        let base = try RequestURL("http://a/b/c/d;p?q")
        for (reference, target) in [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"),
            (";x", "http://a/b/c/;x"), ("g;x?y#s", "http://a/b/c/g;x?y"), ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
            ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"), ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
            ("g..", "http://a/b/c/g.."), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
            ("g/../h", "http://a/b/c/h"), ("g?y/../x", "http://a/b/c/g?y/../x"), ("http://x/y", "http://x/y"),
        ] {
            XCTAssertEqual(try base.resolving(reference).absoluteString, target, reference)
        }
    }

    func testAReferenceToAnotherSchemeIsRefused() throws {
        let base = try RequestURL("http://a/")
        for reference in ["ftp://x/", "file:///etc/passwd", "javascript:alert(1)", "data:,x"] {
            XCTAssertThrowsError(try base.resolving(reference), reference)
        }
    }

    func testAHostNameOfMoreThan253BytesIsRefused() throws {
        let longest = String(repeating: String(repeating: "a", count: 49) + ".", count: 5) + "abc"
        for scheme in ["http", "HTTP"] {
            XCTAssertEqual(try RequestURL("\(scheme)://\(longest)/").host, longest)
            XCTAssertEqual(try RequestURL("\(scheme)://\(longest)./").host, longest + ".")
            for host in [longest + "d", longest + "d.", "[fe80::1%25\(longest)]"] {
                XCTAssertThrowsError(try RequestURL("\(scheme)://\(host)/"), host) { error in
                    XCTAssertEqual((error as? HTTPClientError)?.message, "the URL's host has more than 253 bytes")
                }
            }
        }
    }

    func testAnIPv6AddressWithAnotherCharacterIsRefused() {
        for address in ["::1\0.evil.example", "::1\0", "::1 ", "::1\n"] {
            XCTAssertThrowsError(try RequestURL("http://[\(address)]/x"), address.debugDescription)
        }
    }
}
