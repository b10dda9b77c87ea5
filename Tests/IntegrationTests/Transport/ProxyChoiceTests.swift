import XCTest

@testable import FreshetCurl

/// Tests the meaning of the proxy variables in the environment, and of lists of exceptions.
final class ProxyChoiceTests: XCTestCase {
    private func choice(_ environment: [String: String], _ scheme: String, _ host: String = "a.test") -> String {
        switch ProxyChoice(.environment, environment: { environment[$0] }).proxy(scheme: scheme, host: host) {
        case .direct: "direct"
        case .proxy(let proxy): proxy.description
        case .malformed: "malformed"
        }
    }

    func testTheProxyVariablesAreReadAsInCurl() {
        XCTAssertEqual(choice([:], "http"), "direct")
        XCTAssertEqual(choice(["http_proxy": "p.test:80"], "http"), "http://p.test:80")
        XCTAssertEqual(choice(["http_proxy": "p.test:80"], "https"), "direct")
        XCTAssertEqual(choice(["HTTP_PROXY": "p.test:80"], "http"), "direct")
        XCTAssertEqual(choice(["HTTPS_PROXY": "p.test"], "https"), "http://p.test:1080")
        XCTAssertEqual(choice(["https_proxy": "a.test", "HTTPS_PROXY": "b.test"], "https"), "http://a.test:1080")
        XCTAssertEqual(choice(["all_proxy": "socks5h://p.test"], "https"), "socks5h://p.test:1080")
        XCTAssertEqual(choice(["ALL_PROXY": "https://[::1]"], "http"), "https://[::1]:443")
        XCTAssertEqual(choice(["all_proxy": "p.test", "no_proxy": "a.test"], "http"), "direct")
        XCTAssertEqual(choice(["all_proxy": "p.test", "NO_PROXY": "*"], "http"), "direct")
        XCTAssertEqual(choice(["all_proxy": "ftp://p.test"], "http"), "malformed")
    }

    func testUserAndPasswordAreParsedAndNotPrinted() {
        let proxy = ProxyServer("http://us%40er:pa%3Ass@p.test:3128")
        XCTAssertEqual(proxy?.user, "us@er")
        XCTAssertEqual(proxy?.password, "pa:ss")
        XCTAssertEqual(proxy?.description, "http://p.test:3128")
    }

    func testBypassedNamesMatchWholeLabels() {
        let list = BypassList("example.com, .dotted.test\tTrailing.test.,LOCALHOST")
        for host in [
            "example.com", "www.example.com", "example.com.", "EXAMPLE.com", "dotted.test", "a.dotted.test",
            "trailing.test", "localhost",
        ] {
            XCTAssertTrue(list.contains(host), host)
        }
        for host in ["nonexample.com", "example.com.test", "example", "127.0.0.1", "com"] {
            XCTAssertFalse(list.contains(host), host)
        }
    }

    func testBypassedAddressesMatchByNetwork() {
        let list = BypassList("192.168.0.0/16,10.1.2.3,172.16.0.0/12,fd00::/8,[::1],1.2.3.4/33")
        for host in ["192.168.7.9", "10.1.2.3", "172.31.255.255", "fdab::1", "::1"] {
            XCTAssertTrue(list.contains(host), host)
        }
        for host in ["192.169.0.1", "10.1.2.4", "172.32.0.1", "fe80::1", "::2", "1.2.3.4", "10.1.2.3.test"] {
            XCTAssertFalse(list.contains(host), host)
        }
        XCTAssertTrue(BypassList("*").contains("anything"))
        XCTAssertFalse(BypassList("").contains("anything"))
        for text in ["/", "//", "/8", "[", "[]", "]", ".", "..", "10.0.0.0/", "10.0.0.0/8/8"] {
            XCTAssertFalse(BypassList(text).contains("10.0.0.1"), text)
            XCTAssertFalse(BypassList(text).contains("a.test"), text)
        }
    }
}
