import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

final class OAuthRevocationTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// The error of a revocation; `nil` if it succeeds.
    private func revoke(
        _ credential: Credential = pair(1), at bench: OAuthBench, by authenticator: OAuthAuthenticator? = nil
    ) throws -> (any Error)? {
        let revocation = try (authenticator ?? bench.authenticator(secret: "s")).revoke(credential)
        let result = bench.result(revocation.andThen(Single.just(())))
        guard case .failure(let error)? = result else { return nil }
        return error
    }

    func testTheRefreshTokenIsRevokedBeforeTheAccessToken() throws {
        let bench = OAuthBench()
        XCTAssertNil(try revoke(at: bench))
        XCTAssertEqual(
            bench.server.requests.map(\.text),
            [
                "token=r1&token_type_hint=refresh_token&client_id=cli&client_secret=s",
                "token=a1&token_type_hint=access_token&client_id=cli&client_secret=s",
            ])
        XCTAssertEqual(bench.server.requests.map(\.target), ["/revoke", "/revoke"])
        XCTAssertEqual(bench.server.requests.map(\.method), [.post, .post])
        XCTAssertNil(
            try revoke(Credential(accessToken: "b"), at: bench, by: bench.authenticator(secret: "s", by: .basic)))
        XCTAssertEqual(bench.server.requests.last?.text, "token=b&token_type_hint=access_token&client_id=cli")
        XCTAssertEqual(bench.server.requests.last?.headers[.authorization], "Basic Y2xpOnM=")
        XCTAssertEqual(bench.server.requestCount, 3)
    }

    func testOfACredentialWithoutAKnownAccessTokenOnlyTheRefreshTokenIsRevoked() throws {
        let bench = OAuthBench()
        XCTAssertNil(try revoke(Credential(refreshToken: "r1"), at: bench))
        XCTAssertEqual(
            bench.server.requests.map(\.text), ["token=r1&token_type_hint=refresh_token&client_id=cli&client_secret=s"])
        bench.server.enqueue(ScriptedResponse(status: .badRequest))
        XCTAssertNotNil(try revoke(Credential(refreshToken: "r1"), at: bench))
    }

    func testAServerThatAcceptsOnlyTheFormRevokesBothTokens() throws {
        let bench = OAuthBench()
        bench.server.enqueue(.json(#"{"error":"invalid_client"}"#, status: .unauthorized))
        XCTAssertNil(try revoke(at: bench, by: bench.authenticator(secret: "s", by: .basicOrForm)))
        XCTAssertEqual(bench.server.requests.map { $0.headers[.authorization] != nil }, [true, false, false])
        XCTAssertEqual(bench.server.requests.map { $0.text.prefix(8) }, ["token=r1", "token=r1", "token=a1"])
    }

    func testARevocationSendsTheHeadersOfTokenRequests() throws {
        let bench = OAuthBench()
        let name = try XCTUnwrap(HTTPField.Name("X-Client"))
        XCTAssertNil(try revoke(at: bench, by: bench.authenticator { $0.headers[name] = "app/1" }))
        XCTAssertEqual(bench.server.requests.map { $0.headers[name] }, ["app/1", "app/1"])
    }

    func testWithoutARevocationEndpointNothingIsSent() throws {
        let bench = OAuthBench()
        let none = try OAuthAuthenticator(tokenURL: RequestURL("https://id.example/token"), client: bench.client)
        XCTAssertNil(try revoke(at: bench, by: none))
        XCTAssertEqual(bench.server.requestCount, 0)
    }

    func testARevocationSucceedsWhereTheServerCannotRevokeAccessTokens() throws {
        let bench = OAuthBench()
        let unsupported = ScriptedResponse.json(#"{"error":"unsupported_token_type"}"#, status: .badRequest)
        bench.server.enqueue(ScriptedResponse(), unsupported)
        XCTAssertNil(try revoke(at: bench))
        bench.server.enqueue(unsupported, ScriptedResponse())
        let error = try XCTUnwrap(try revoke(at: bench) as? HTTPClientError)
        XCTAssertTrue(error.message.contains("400 (unsupported_token_type); the refresh token works on"), error.message)
    }

    /// Salesforce and Google revoke the access tokens with the refresh token, and respond to an unknown token with this error.
    func testATokenThatTheServerCallsInvalidCountsAsRevoked() throws {
        let bench = OAuthBench()
        let invalid = ScriptedResponse.json(#"{"error":"invalid_token"}"#, status: .badRequest)
        bench.server.enqueue(ScriptedResponse(), invalid)
        XCTAssertNil(try revoke(at: bench))
        bench.server.enqueue(invalid, invalid)
        XCTAssertNil(try revoke(at: bench))
        XCTAssertEqual(bench.server.requestCount, 4)
    }

    func testTheAccessTokenIsRevokedEvenIfTheRefreshTokenIsNot() throws {
        for failure in [ScriptedResponse(status: .badRequest), .reset, ScriptedResponse(status: .internalServerError)] {
            let bench = OAuthBench()
            bench.server.enqueue(failure)
            let error = try XCTUnwrap(try revoke(at: bench) as? HTTPClientError)
            XCTAssertEqual(bench.server.requests.last?.text.hasPrefix("token=a1&"), true)
            XCTAssertEqual(bench.server.requestCount, 2)
            for text in ["\(error)", String(reflecting: error)] { XCTAssertFalse(text.contains("r1"), text) }
        }
    }

    func testAnUnavailableServerIsRetriedAfterRetryAfter() throws {
        let bench = OAuthBench()
        bench.server.enqueue(ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "3"]))
        XCTAssertNil(try revoke(at: bench))
        XCTAssertEqual(bench.server.requestCount, 3)
        XCTAssertEqual(bench.scheduler.clock, 3000)
        let down = ScriptedResponse(status: .serviceUnavailable)
        bench.server.enqueue(down, down)
        XCTAssertNotNil(try revoke(at: bench), "it did not say when")
        XCTAssertEqual(bench.server.requestCount, 5)
    }

    func testNoRedirectIsFollowed() throws {
        let bench = OAuthBench()
        let elsewhere = ScriptedResponse(status: .temporaryRedirect, headers: [.location: "https://evil.example/"])
        bench.server.enqueue(elsewhere, elsewhere)
        XCTAssertNotNil(try revoke(at: bench))
        XCTAssertEqual(Set(bench.server.requests.map(\.origin)), ["https://id.example"])
    }

    func testTokensOfAnotherIssuerAreNotSentToTheServer() throws {
        let bench = OAuthBench()
        var credential = pair(1)
        credential.details.issuer = "https://other.example"
        let authenticator = try bench.authenticator(secret: "s") { $0.issuer = "https://id.example" }
        XCTAssertTrue(try revoke(credential, at: bench, by: authenticator) is RefreshRefusal)
        XCTAssertEqual(bench.server.requestCount, 0)
    }

    func testARetriedRevocationHasANewAssertion() throws {
        let bench = OAuthBench()
        let made = Locked(0)
        let authenticator = try bench.authenticator(
            by: .assertion { _ in .deferred { .just("proof\(made.withLock { $0 += 1; return $0 })") } })
        bench.server.enqueue(ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "1"]))
        XCTAssertNil(try revoke(Credential(accessToken: "b"), at: bench, by: authenticator))
        XCTAssertEqual(
            bench.server.requests.map(\.text),
            (1...2).map {
                "token=b&token_type_hint=access_token"
                    + "&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
                    + "&client_assertion=proof\($0)&client_id=cli"
            })
    }
}
