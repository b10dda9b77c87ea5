import Freshet
import FreshetHTTPTesting
import XCTest

/// Tests to which addresses `get` connects, and which certificates it trusts.
final class NetworkOptionsTests: ProfileTestCase {
    private var port: String { String(server.url.split(separator: ":").last!) }

    func testAResolveOptionOverridesTheAddressOfAHost() throws {
        server.enqueue(ScriptedResponse(body: "here"), ScriptedResponse())
        let result = try freshet("get", "http://a.test:\(port)/", "--resolve", "a.test:\(port):127.0.0.1")
        XCTAssertEqual(result.text, "here", result.errorOutput)
        let any = try freshet("get", "http://b.test:\(port)/", "--resolve", "*:\(port):127.0.0.1")
        XCTAssertEqual(any.status, 0, any.errorOutput)
        for words in ["a.test", "*:80:127.0.0.1:81", "a.test:80:b.test", "a.test:80:,"] {
            XCTAssertEqual(try freshet("get", "http://a.test", "--resolve", words).status, 2, words)
        }
    }

    func testAProxyIsUsedUnlessTheHostIsExcluded() throws {
        server.route { request in ScriptedResponse(body: request.target) }
        let proxied = try freshet("get", "http://a.test/b", "-x", server.url)
        XCTAssertEqual(proxied.text, "http://a.test/b", proxied.errorOutput)
        let fromEnvironment = try freshet("get", "http://a.test/c", environment: ["http_proxy": server.url])
        XCTAssertEqual(fromEnvironment.text, "http://a.test/c", fromEnvironment.errorOutput)
        let direct = try freshet("get", server.url + "/d", "-x", server.url, "--noproxy", "127.0.0.0/8")
        XCTAssertEqual(direct.text, "/d", direct.errorOutput)
        let refused = try freshet("get", "https://a.test/", "-x", "http://user:s3cr3t@127.0.0.1:\(port)")
        XCTAssertEqual(refused.status, 1)
        XCTAssertTrue(refused.errorOutput.hasPrefix("freshet: "), refused.errorOutput)
        XCTAssertFalse(refused.errorOutput.contains("s3cr3t"), refused.errorOutput)
    }

    func testAUnixSocketReplacesTheServer() throws {
        let listener = try UnixListener(answering: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        defer { listener.close() }
        let result = try freshet("get", "http://docker/info", "--unix-socket", listener.path)
        XCTAssertEqual(result.text, "ok", result.errorOutput)
    }

    /// The program behind the socket must not receive the refresh token of another server.
    func testAUnixSocketReplacesTheServersOfTheProfileAlone() throws {
        let listener = try UnixListener(answering: "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
        defer { listener.close() }
        let tokens = try tokenServer()
        for (tokenURL, isAtSocket) in [(tokens.tokenURL, false), ("http://docker/token", true)] {
            let config = try temporaryFile(
                """
                {"profiles": {"p": {"origins": ["http://docker"], "store": "file:\(try temporaryDirectory().path)/s",
                 "allow_http": true, "refresh": {"url": "\(tokenURL)", "client_id": "c"}}}}
                """, named: "config.json")
            try logIn(to: tokens, config)
            let result = try freshet(
                "get", "http://docker/info", "--config", config, "--profile", "p", "--unix-socket", listener.path)
            XCTAssertNotEqual(result.status, 0)
            XCTAssertTrue(listener.received.contains("GET /info"), listener.received)
            XCTAssertEqual(listener.received.contains("POST /token"), isAtSocket, listener.received)
            XCTAssertEqual(tokens.requests.contains { $0.path == "/token" }, true)
        }
    }

    func testAnUnreadableClientCertificateIsReportedWithItsPath() throws {
        for words in [["--cert", "/nowhere/a.pem"], ["-E", "/nowhere/a.pem", "--key", "/nowhere/b.pem"]] {
            let result = try freshet(["get", "https://127.0.0.1:\(port)/"] + words)
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: tls: "), result.errorOutput)
            XCTAssertTrue(result.errorOutput.contains("/nowhere/"), result.errorOutput)
        }
    }

    func testThePassphraseBehindTheCertificateIsInNoMessage() throws {
        let result = try freshet("get", "https://127.0.0.1:\(port)/", "-E", "/nowhere/a\\:b.pem:s3cr3t")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.contains("/nowhere/a:b.pem"), result.errorOutput)
        XCTAssertFalse(result.errorOutput.contains("s3cr3t"), result.errorOutput)
    }

    func testAKeyThatIsNoHashIsRefusedBeforeAnythingIsRead() throws {
        for key in ["sha256//AAAA", "", ";", "sha256//" + String(repeating: "=", count: 44)] {
            for words in [["get", server.url], ["run"]] {
                let result = try freshet(words + ["--pinned-key", key])
                XCTAssertEqual(result.status, 2, "\(words) \(key)")
                XCTAssertTrue(result.errorOutput.contains("--pinned-key is sha256//"), result.errorOutput)
            }
        }
        server.enqueue(ScriptedResponse())
        let hash = "sha256//" + Data(repeating: 7, count: 32).base64EncodedString()
        XCTAssertEqual(try freshet("get", server.url, "--pinned-key", "\(hash);\(hash)").status, 0)
    }

    func testAPathThatIsTooLongForASocketIsRefused() throws {
        let path = "/" + String(repeating: "a", count: 107)
        let result = try freshet("get", server.url, "--unix-socket", path)
        XCTAssertEqual(result.status, 2)
        XCTAssertTrue(result.errorOutput.contains("the path of --unix-socket has 108 bytes"), result.errorOutput)
        XCTAssertEqual(try freshet("get", server.url, "--unix-socket", String(path.dropLast())).status, 1)
    }
}
