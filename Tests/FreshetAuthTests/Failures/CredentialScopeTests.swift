import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests which origin gets which credential, and which responses say that a credential has expired.
final class CredentialScopeTests: FailureTestCase {
    // RFC 6750 section 3.1: a refresh does not widen the scope of a token.
    func testAResponseThatDemandsAWiderScopeCausesNoRefresh() throws {
        let lacking = ScriptedResponse(
            status: .forbidden,
            headers: [.wwwAuthenticate: #"Bearer error="insufficient_scope", scope="write""#], body: "no right")
        let server = server { $0.resource = { _ in lacking } }
        let app = try App(at: server, store: MemoryStore(server.signIn()), signs: ExpiryRule(statuses: [401, 403]))
        XCTAssertEqual(try result(of: app.get()).text, "no right")
        XCTAssertEqual(server.counts, .init())
    }

    // RFC 6750 section 5.3: everybody between the client and the server can read the token.
    func testATokenIsNotSentOverPlainHTTPToAnotherHost() throws {
        let server = server()
        let origins = ["http://api.example", StrictServer.origin]
        let app = try App(at: server, store: MemoryStore(server.signIn()), origins: origins)
        XCTAssertEqual(error(of: app.client.get("http://api.example/"))?.code, .invalidRequest)
        XCTAssertEqual(server.api.requestCount, 0)
        XCTAssertEqual(try result(of: app.get()).text, "in")
    }

    // simple-oauth2 88: one user's token was given to the other user.
    func testSeveralCredentialsInOneClientAreSentToTheirOwnOrigins() throws {
        let other = "https://other.example"
        let server = server { rules in
            rules.origins = [StrictServer.origin, other]
            rules.resource = { ScriptedResponse(body: $0.bearerToken ?? "") }
        }
        let second = try App(at: server, store: MemoryStore(server.signIn()), origins: [other])
        let app = try App(at: server, store: MemoryStore(server.signIn()), others: second.client.interceptors)
        for _ in 0..<2 {
            server.expire()
            let responses = [start(app.get()), start(app.client.get(other + "/"))]
            finish(responses)
            XCTAssertEqual(
                responses.map { $0.text?.suffix(2) }, [".2", ".1"], "each is refreshed, and gets what is its own")
        }
        XCTAssertEqual(server.counts, .init(refreshes: 4))
    }
}
