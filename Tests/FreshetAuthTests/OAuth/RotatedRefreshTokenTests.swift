import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

/// Tests that a new refresh token is kept if the access token of its response cannot be used. The server has spent the old one,
/// and would take its return for a theft.
final class RotatedRefreshTokenTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func strict(_ client: HTTPClient) throws -> OAuthAuthenticator {
        var authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL("https://id.example/token"), clientID: "cli", client: client,
            secondsSince1970: { 1000 })
        authenticator.requiredScopes = ["read", "write"]
        return authenticator
    }

    func testTheNextRefreshSendsTheNewRefreshTokenAndTheAccessTokenIsNeverSent() throws {
        for (response, reason) in [
            (#"{"access_token":"bad","refresh_token":"r2","token_type":"mac"}"#, "token_type"),
            (#"{"access_token":"bad","refresh_token":"r2","scope":"read"}"#, "scope"),
            (#"{"access_token":"bad\n","refresh_token":"r2"}"#, "invalid characters"),
            (#"{"access_token":"","refresh_token":"r2"}"#, "invalid characters"),
            (#"{"refresh_token":"r2"}"#, "no string at /access_token"),
            (#"{"access_token":"bad","refresh_token":"r2","expires_in":-5}"#, "already expired"),
        ] {
            let bench = try ClientBench(authenticator: strict)
            bench.revoke()
            bench.identity.enqueue(.json(response))
            let failure = try XCTUnwrap(bench.failure(bench.get()), response)
            XCTAssertEqual(failure.code, .refreshFailed, response)
            XCTAssertTrue(failure.message.contains(reason), "\(failure)")
            XCTAssertTrue(failure.message.contains("the credential is stored"), "\(failure)")
            XCTAssertFalse(failure.message.contains("this machine's clock"), "\(failure)")
            bench.newest.withLock { $0 = 2 }
            XCTAssertEqual(try bench.result(bench.get())?.get().text, "hello", response)
            XCTAssertTrue(bench.identity.requests.last?.text.contains("refresh_token=r2") == true, response)
            XCTAssertEqual(bench.tokens, ["a1", "a3"], response)
            XCTAssertEqual(bench.announced.withLock { $0 }, [], response)
        }
    }

    func testRequestsUseTheOldAccessTokenUntilItExpires() throws {
        let first = Credential(accessToken: "a1", refreshToken: "r1", expiresAt: 1100, generation: 1)
        let bench = try ClientBench(store: MemoryStore(first), authenticator: strict)
        XCTAssertEqual(try bench.result(bench.get())?.get().text, "hello")
        bench.scheduler.advanceTo(92_000)
        bench.identity.enqueue(.json(#"{"access_token":"bad","refresh_token":"r2","scope":"read"}"#))
        XCTAssertEqual(try bench.result(bench.get())?.get().text, "hello")
        XCTAssertEqual(try bench.result(bench.get())?.get().text, "hello")
        XCTAssertEqual(bench.tokens, ["a1", "a1", "a1"])
        XCTAssertEqual(try bench.result(bench.store.load())?.get().credential?.refreshToken, "r2")
    }

    func testNothingIsStoredWithoutANewRefreshTokenThatCanBeSent() throws {
        for token in [#""r1""#, #""""#, "null", #""r2\n""#, "5"] {
            let bench = try ClientBench(authenticator: strict)
            bench.revoke()
            bench.identity.enqueue(.json(#"{"access_token":"bad","token_type":"mac","refresh_token":\#(token)}"#))
            let failure = try XCTUnwrap(bench.failure(bench.get()), token)
            XCTAssertEqual(failure.code, .refreshFailed, token)
            XCTAssertTrue(failure.message.contains("and is kept"), "\(failure)")
            XCTAssertEqual(try bench.result(bench.store.load())?.get().version, 1, token)
        }
    }

    func testTheKeyOfAProofIsKeptWithTheNewRefreshToken() throws {
        let bench = OAuthBench()
        let authenticator = try bench.authenticator(placement: .authorization(scheme: "DPoP")) {
            $0.proofOfPossession = FixedProof()
            $0.issuer = "https://id.example"
        }
        let store = MemoryStore(pair(1))
        let gate = RefreshGate(
            store: store, authenticator: authenticator, scheduler: bench.scheduler,
            secondsSince1970: { [scheduler = bench.scheduler] in 1000 + scheduler.now.sinceStart / .seconds(1) })
        bench.server.enqueue(
            .json(#"{"access_token":"bad","refresh_token":"r2","token_type":"Bearer","refresh_expires_in":60}"#))
        _ = bench.result(gate.refreshNow())
        let credential = bench.result(store.load()).flatMap { try? $0.get().credential }
        XCTAssertEqual(credential?.refreshToken, "r2")
        XCTAssertEqual(credential?.details.proofKey, "key")
        XCTAssertEqual(credential?.details.issuer, "https://id.example")
        XCTAssertEqual(credential?.details.refreshExpiresAt ?? 0, 1060, accuracy: 5)
    }
}

private struct FixedProof: ProofOfPossession {
    func newKey() -> String { "key" }
    func prove(_ request: inout Request, key: String, accessToken: String?) {}
    func isDemanded(by response: Response) -> Bool { false }
    func received(_ head: HTTPResponse, from origin: Origin, isTokenEndpoint: Bool) {}
}
