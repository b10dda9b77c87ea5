import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests requests through a proxy.
final class TransportProxyTests: TransportOnScriptedServerTestCase {
    private var port: Int { try! RequestURL(server.url).port }

    private func through(_ url: String) -> CurlTransport {
        transport {
            $0.proxy = .url(url)
            $0.addresses.resolver = ScriptedResolver([:])
        }
    }

    func testARequestToAnHTTPOriginIsSentToTheProxy() throws {
        let proxy = TestProxy()
        defer { proxy.close() }
        let transport = through("127.0.0.1:\(proxy.port)")
        let response = try outcome(transport, "http://only.the.proxy.knows/a?b")
        XCTAssertEqual(response.text, "proxied", "\(response.error.debugDescription)")
        XCTAssertTrue(
            proxy.requests[0].hasPrefix("GET http://only.the.proxy.knows/a?b HTTP/1.1\r\n"), proxy.requests[0])
        _ = try outcome(transport, "http://b\u{FC}cher.test:81/%7Ec?d=e//f")
        XCTAssertTrue(
            proxy.requests[1].hasPrefix("GET http://xn--bcher-kva.test:81/%7Ec?d=e//f HTTP/1.1\r\n"), proxy.requests[1])
        transport.shutdown()
    }

    func testATunnelHidesTheProxysResponse() throws {
        let servers = try TLSServers()
        let proxy = TestProxy(.http(credentials: "dXNlcjpzM2NyM3Q="))
        defer { proxy.close() }
        let authority = servers.certificates.path("ca.pem")
        let transport = transport {
            $0.proxy = .url("http://user:s3cr3t@127.0.0.1:\(proxy.port)")
            $0.tls.caFile = authority
        }
        let response = try outcome(transport, servers.url("good"))
        XCTAssertEqual(response.text.prefix(4), "good", "\(response.error.debugDescription)")
        XCTAssertEqual(response.informational.count, 0)
        XCTAssertNil(response.head?.headerFields[.init("X-Of-The-Proxy")!])
        XCTAssertTrue(
            response.phases.contains(.resolved(host: "127.0.0.1", addresses: ["127.0.0.1"])), "\(response.phases)")
        XCTAssertTrue(proxy.requests[0].hasPrefix("CONNECT localhost:"))
        // A kept tunnel is used again.
        XCTAssertEqual(try outcome(transport, servers.url("good")).text.prefix(4), "good")
        XCTAssertEqual(proxy.requests.count, 1)
        transport.shutdown()
    }

    func testARefusedTunnelIsAClearErrorWithoutTheSecret() throws {
        for (status, user, words) in [
            ("200 OK", "", "wants a user"), ("200 OK", "user:wr0ng@", "refused the user"),
            ("502 Bad Gateway", "user:s3cr3t@", "responded with 502"),
        ] {
            let proxy = TestProxy(.http(credentials: "dXNlcjpzM2NyM3Q=", status: status))
            defer { proxy.close() }
            let transport = through("http://\(user)127.0.0.1:\(proxy.port)")
            let response = try outcome(transport, "https://a.test/")
            XCTAssertEqual(response.error?.code, .connect, "\(response.error.debugDescription)")
            XCTAssertEqual(response.error?.phase, .connecting)
            XCTAssertEqual(response.error?.isUnsent, true)
            let text = "\(response.error!) \(String(reflecting: response.error!.underlying))"
            XCTAssertTrue(text.contains(words), text)
            XCTAssertTrue(text.contains("http://127.0.0.1:\(proxy.port)"), text)
            XCTAssertFalse(text.contains("wr0ng") || text.contains("s3cr3t"), text)
            XCTAssertNil(response.head)
            transport.shutdown()
        }
    }

    func testAnUnreachableOrInvalidProxyIsAnErrorWithoutTheSecret() throws {
        let gone = try outcome(through("http://user:s3cr3t@127.0.0.1:\(freePort())"), "https://a.test/")
        XCTAssertEqual(gone.error?.code, .connect)
        XCTAssertTrue(gone.error?.message.contains("proxy") == true)
        XCTAssertFalse("\(gone.error!)".contains("s3cr3t"))
        let unknown = try outcome(through("http://user:s3cr3t@proxy.invalid:80"), "http://a.test/")
        XCTAssertEqual(unknown.error?.code, .resolve)
        XCTAssertTrue(unknown.error?.message.contains("proxy.invalid") == true)
        for url in ["ftp://user:s3cr3t@a.test", "ht tp://user:s3cr3t@a.test", "://s3cr3t"] {
            let malformed = try outcome(through(url), "http://a.test/")
            XCTAssertEqual(malformed.error?.code, .invalidRequest, url)
            XCTAssertFalse("\(malformed.error!)".contains("s3cr3t"))
        }
        var configuration = CurlTransport.Configuration()
        configuration.proxy = .url("http://user:s3cr3t@127.0.0.1:1")
        var dumped = ""
        dump(configuration, to: &dumped)
        XCTAssertFalse((dumped + "\(configuration)" + String(reflecting: configuration)).contains("s3cr3t"))
    }

    func testSOCKS5HResolvesNamesAtTheProxy() throws {
        server.route { _ in ScriptedResponse(body: "ok") }
        let proxy = TestProxy(.socks5(user: "user", password: "s3:cr3t"))
        defer { proxy.close() }
        let transport = through("socks5h://user:s3%3Acr3t@127.0.0.1:\(proxy.port)")
        let response = try outcome(transport, "http://only.the.proxy.knows:\(port)/")
        XCTAssertEqual(response.text, "ok", "\(response.error.debugDescription)")
        XCTAssertEqual(proxy.requests, ["only.the.proxy.knows:\(port)"])
        let wrong = through("socks5h://user:wr0ng@127.0.0.1:\(proxy.port)")
        let refused = try outcome(wrong, "http://a.test:\(port)/")
        XCTAssertEqual(refused.error?.code, .connect, "\(refused.error.debugDescription)")
        XCTAssertFalse("\(refused.error!)".contains("wr0ng"))
        XCTAssertTrue(
            "\(refused.error!)".contains("refused the user and the password; check them"), "\(refused.error!)")
        let nameless = through("socks5h://127.0.0.1:\(proxy.port)")
        let asked = try outcome(nameless, "http://a.test:\(port)/").error.debugDescription
        XCTAssertTrue(asked.contains("wants a user and a password; put them into its URL"), asked)
        nameless.shutdown()
        let closed = try outcome(transport, "http://refused.test:\(port)/")
        XCTAssertEqual(closed.error?.code, .connect)
        transport.shutdown()
        wrong.shutdown()
    }

    func testSOCKS5ResolvesNamesLocally() throws {
        server.route { _ in ScriptedResponse(body: "ok") }
        let proxy = TestProxy(.socks5())
        defer { proxy.close() }
        let resolver = ScriptedResolver(["proxy.test": ["127.0.0.1"], "a.test": ["127.0.0.9"]])
        let transport = transport {
            $0.proxy = .url("socks5://proxy.test:\(proxy.port)")
            $0.addresses.resolver = resolver
        }
        let response = try outcome(transport, "http://a.test:\(port)/")
        XCTAssertEqual(response.text, "ok", "\(response.error.debugDescription)")
        XCTAssertEqual(Set(resolver.queries), ["proxy.test", "a.test"])
        XCTAssertEqual(proxy.requests, ["127.0.0.9:\(port)"])
        transport.shutdown()
    }

    func testBypassedHostsAreReachedDirectly() throws {
        server.route { _ in ScriptedResponse(body: "direct") }
        let proxy = TestProxy()
        defer { proxy.close() }
        let transport = transport {
            $0.proxy = .url("http://127.0.0.1:\(proxy.port)", bypassing: "127.0.0.0/8, .test")
        }
        XCTAssertEqual(try outcome(transport, server.url).text, "direct")
        XCTAssertEqual(try outcome(transport, "http://localhost:\(port)/").text, "proxied")
        transport.shutdown()
    }
}
