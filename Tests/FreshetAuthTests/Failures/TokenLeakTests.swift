import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that only the origins of a credential get its token. The server's `leaks` list each other host that got one.
final class TokenLeakTests: FailureTestCase {
    // golang/oauth2 500, 805, curl's CVE-2022-27774, CVE-2022-27776, CVE-2026-3783: another host, port or scheme got it.
    func testARedirectCarriesTheTokenToNoOtherOrigin() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        for target in [
            "https://evil.example/", "https://api.example:8443/", "https://api.example.evil.example/",
            "https://sub.api.example/", "//evil.example/", "https://api.example@evil.example/",
        ] {
            for status in [301, 302, 303, 307, 308] {
                server.api.enqueue(ScriptedResponse(status: .init(code: status), headers: [.location: target]))
                let call = start(app.get())
                finish(call)
                XCTAssertNotEqual(call.text, "in", target)
            }
        }
        var configuration = HTTPClient.Configuration()
        configuration.allowsDowngradingRedirects = true
        let lax = try App(at: server, store: MemoryStore(server.signIn()), configuration: configuration)
        server.api.enqueue(ScriptedResponse(status: .found, headers: [.location: "http://api.example/"]))
        XCTAssertEqual(try result(of: lax.get()).text, "a stranger")
        XCTAssertEqual(server.leaks, [])
        XCTAssertEqual(server.counts, .init(), "a stranger's 401 says nothing about the token")
    }

    // No other client has a list of origins by default.
    func testARequestToAnotherOriginCarriesNoToken() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        for url in ["https://other.example/", "http://api.example/", "https://api.example:444/"] {
            XCTAssertEqual(try result(of: app.client.get(url)).text, "a stranger")
        }
        XCTAssertEqual(server.leaks, [])
    }

    // A redirect back to the first origin carries the token again.
    func testARedirectBackToTheOriginCarriesTheTokenAgain() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.api.enqueue(
            ScriptedResponse(status: .found, headers: [.location: "https://elsewhere.example/"]),
            ScriptedResponse(status: .found, headers: [.location: StrictServer.origin + "/home"]))
        XCTAssertEqual(try result(of: app.get()).text, "in")
        XCTAssertEqual(server.api.requests.map(\.bearerToken), ["access-1.1", nil, "access-1.1"])
    }

    // zero 729: a 307 response of the token endpoint sent the refresh token and the secret to another origin.
    func testARedirectOfTheTokenEndpointIsNotFollowed() throws {
        for status in [301, 302, 303, 307, 308] {
            let server = server()
            let app = try App(at: server, store: MemoryStore(server.signIn()))
            server.expire()
            server.identity.enqueue(
                ScriptedResponse(status: .init(code: status), headers: [.location: "https://evil.example/token"]))
            let error = error(of: app.get())
            XCTAssertEqual(error?.code, .refreshFailed)
            XCTAssertEqual(server.identity.requests.map(\.origin), ["https://id.example"])
            XCTAssertEqual(app.logins, [], "the tokens are kept")
        }
    }
}
