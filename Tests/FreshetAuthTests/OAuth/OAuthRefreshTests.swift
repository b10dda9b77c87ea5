import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

/// The numbers in comments are those of the failures in the article RefreshFailures.
final class OAuthRefreshTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func error(_ code: String, _ status: Int = 400) -> ScriptedResponse {
        .json(#"{"error":"\#(code)","error_description":"token secret1 is bad"}"#, status: .init(code: status))
    }

    func testTheFormContainsTheGrantTheTokenExtraFieldsAndTheClient() throws {
        let bench = OAuthBench()
        let authenticator = try bench.authenticator(secret: "s e/c") {
            $0.fields = [("scope", "a b"), ("resource", "https://x/"), ("resource", "https://y/")]
        }
        let credential = try bench.refresh(.json(#"{"access_token":"a2"}"#), by: authenticator)?.get()
        XCTAssertEqual(credential, Credential(accessToken: "a2"))
        let request = try XCTUnwrap(bench.server.requests.first)
        XCTAssertEqual(
            request.text,
            "grant_type=refresh_token&refresh_token=r1&scope=a+b&resource=https%3A%2F%2Fx%2F&resource=https%3A%2F%2Fy%2F"
                + "&client_id=cli&client_secret=s+e%2Fc")
        XCTAssertEqual(request.method, .post)
        XCTAssertEqual(request.headers[.contentType], "application/x-www-form-urlencoded")
        XCTAssertNil(request.headers[.authorization])
    }

    /// RFC 6749 section 3.2 forbids a field that occurs twice.
    func testAFieldOfTheGrantOrTheClientReplacesAnExtraFieldOfTheSameName() throws {
        let bench = OAuthBench()
        let authenticator = try bench.authenticator {
            $0.fields = [("grant_type", "x"), ("refresh_token", "x"), ("client_id", "x"), ("tenant", "t")]
        }
        _ = try bench.refresh(.json(#"{"access_token":"a2"}"#), by: authenticator)?.get()
        XCTAssertEqual(
            bench.server.requests.first?.text, "grant_type=refresh_token&refresh_token=r1&tenant=t&client_id=cli")
    }

    func testACredentialWithoutARefreshTokenStartsNoRequest() throws {
        let bench = OAuthBench()
        let events = ClientEvents(), count = Locked(0)
        let subscription = events.asObservable().subscribe(onNext: { _ in count.withLock { $0 += 1 } })
        var configuration = HTTPClient.Configuration()
        configuration.monitors = [events]
        let client = HTTPClient(transport: bench.server, scheduler: bench.scheduler, configuration: configuration)
        let authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL("https://id.example/token"), clientID: "cli", client: client)
        for credential in [nil, Credential(accessToken: "a")] {
            let result = bench.result(authenticator.refresh(credential))
            XCTAssertThrowsError(try result?.get()) { XCTAssertTrue($0 is RefreshRefusal) }
        }
        XCTAssertEqual(count.withLock { $0 }, 0)
        subscription.dispose()
    }

    func testTheClientCanAuthenticateWithABasicHeader() throws {
        let bench = OAuthBench()
        let client = try bench.authenticator(grant: .clientCredentials, secret: "s:e /ü", by: .basic)
        _ = try bench.refresh(.json(#"{"access_token":"a2"}"#), by: client)
        // This is base64 of `cli:s%3Ae+%2F%C3%BC`.
        XCTAssertEqual(bench.server.requests.first?.headers[.authorization], "Basic Y2xpOnMlM0FlKyUyRiVDMyVCQw==")
        XCTAssertEqual(bench.server.requests.first?.text, "grant_type=client_credentials&client_id=cli")
        _ = try bench.refresh(.json(#"{"access_token":"a2"}"#), by: bench.authenticator(by: .basic))
        XCTAssertNil(bench.server.requests.last?.headers[.authorization], "nothing to prove without a secret")
        XCTAssertEqual(bench.server.requests.last?.text, "grant_type=refresh_token&refresh_token=r1&client_id=cli")
    }

    func testTheLifetimeIsANumberOrANumericString() throws {
        for (text, seconds) in [("3600", 3600), (#""3600""#, 3600), ("0.5", 0.5), ("1e3", 1000)] as [(String, Double)] {
            let bench = OAuthBench()
            let credential = try bench.refresh(.json(#"{"access_token":"a2","expires_in":\#(text)}"#))?.get()
            XCTAssertEqual(credential?.expiresAt, 1000 + seconds)
            XCTAssertNil(credential?.issuedAt)
        }
        for text in ["0", #""0""#, "0.0", "-0"] {
            let credential = try OAuthBench().refresh(.json(#"{"access_token":"a2","expires_in":\#(text)}"#))?.get()
            XCTAssertEqual(credential?.accessToken, "a2", text)
            XCTAssertNil(credential?.expiresAt, text)
        }
        for text in ["1e300", "9223372036854775807", #""99999999999999999999""#] {
            let credential = try OAuthBench().refresh(.json(#"{"access_token":"a2","expires_in":\#(text)}"#))?.get()
            XCTAssertGreaterThan(credential?.expiresAt ?? 0, 1e18, text)
        }
        for text in ["null", #""""#, #""soon""#, "[1]", #""nan""#, #""inf""#] {
            let alone = #"{"access_token":"a2","expires_in":\#(text)}"#
            XCTAssertEqual((try? OAuthBench().refresh(.json(alone))?.get()) == nil, text != "null", text)
            // A server that rotates its tokens has spent the old refresh token.
            let pair = #"{"access_token":"a2","refresh_token":"r2","expires_in":\#(text)}"#
            let credential = try OAuthBench().refresh(.json(pair))?.get()
            XCTAssertEqual(credential?.refreshToken, "r2", text)
            XCTAssertNil(credential?.expiresAt, text)
        }
    }

    // 25
    func testTheExpiryIsOnTheClockOfTheServerWhereThatIsKnown() throws {
        let bench = OAuthBench()
        var answer = ScriptedResponse.json(#"{"access_token":"a2","expires_in":60}"#)
        answer.headers[.date] = "Sun, 06 Nov 1994 08:49:37 GMT"
        let credential = try bench.refresh(answer)?.get()
        XCTAssertEqual(credential?.issuedAt, 784_111_777)
        XCTAssertEqual(credential?.expiresAt, 784_111_837)
        answer.headers[.date] = "yesterday"
        XCTAssertNil(try XCTUnwrap(bench.refresh(answer)).get().issuedAt)
    }

    func testATokenOfAnUnknownTypeIsRefusedAndTheTokensAreKept() throws {
        let unknown = ScriptedResponse.json(#"{"access_token":"a2","token_type":"mac"}"#)
        let bench = OAuthBench()
        XCTAssertEqual(try bench.isRefused(unknown), false)
        XCTAssertEqual(try bench.isRefused(.json(#"{"access_token":"a2","token_type":7}"#)), false)
        for type in [#""Bearer""#, #""bearer""#, #""BEARER""#, "null"] {
            let answer = ScriptedResponse.json(#"{"access_token":"a2","token_type":\#(type)}"#)
            XCTAssertNoThrow(try XCTUnwrap(bench.refresh(answer)).get(), type)
        }
        let mac = try bench.authenticator(placement: .authorization(scheme: "MAC"))
        XCTAssertNoThrow(try XCTUnwrap(bench.refresh(unknown, by: mac)).get())
        let field = try bench.authenticator(placement: .fields(access: .init("X-Access")!))
        XCTAssertNoThrow(try XCTUnwrap(bench.refresh(unknown, by: field)).get())
    }

    // 20: a token of the wrong scope was handed out.
    func testATokenWithoutARequiredScopeIsRefused() throws {
        let bench = OAuthBench()
        let strict = try bench.authenticator { $0.requiredScopes = ["read", "write"] }
        for (scope, isTaken) in [
            (#""write admin read""#, true), (#""write,admin,read""#, true), (#""read""#, false), (#""""#, false),
            ("null", true),
        ] {
            let response = ScriptedResponse.json(#"{"access_token":"a2","scope":\#(scope)}"#)
            XCTAssertEqual(try bench.isRefused(response, by: strict), isTaken ? nil : false, scope)
            XCTAssertNil(try bench.isRefused(response), "whatever the server grants")
        }
        XCTAssertNil(try bench.isRefused(.json(#"{"access_token":"a2"}"#), by: strict), "all that was asked for")
    }

    // Failure 22: any failure ended the session, and not only a definite refusal.
    func testFinalErrorCodesEndTheSessionAndOthersDoNot() throws {
        let bench = OAuthBench()
        let final = [
            "invalid_grant", "bad_refresh_token", "expired_token", "invalid_token", "interaction_required",
            "login_required", "consent_required",
        ]
        for code in final {
            for status in [200, 400, 401, 403, 404] {
                XCTAssertEqual(try bench.isRefused(error(code, status)), true, "\(status) \(code)")
            }
            for status in [408, 429, 500, 502, 503, 504] {
                XCTAssertEqual(try bench.isRefused(error(code, status)), false, "\(status) \(code)")
            }
        }
        for code in [
            "temporarily_unavailable", "slow_down", "server_error", "invalid_client", "unauthorized_client",
            "unsupported_grant_type", "invalid_scope", "invalid_request", "invalid_target", "access_denied",
            "use_dpop_nonce", "invalid_dpop_proof", "own",
        ] {
            for status in [200, 400, 401, 403, 404, 429, 503] {
                XCTAssertEqual(try bench.isRefused(error(code, status)), false, "\(status) \(code)")
            }
        }
        for status in [400, 401, 403] {
            XCTAssertEqual(try bench.isRefused(ScriptedResponse(status: .init(code: status))), true, "\(status)")
            XCTAssertEqual(try bench.isRefused(.json(#"{"error":""}"#, status: .init(code: status))), true, "\(status)")
        }
        for status in [404, 405, 419] {
            XCTAssertEqual(try bench.isRefused(ScriptedResponse(status: .init(code: status))), false, "\(status)")
        }
        let sign = ExpiryRule(statuses: [419], body: .init(pointer: try JSONPointer("/error"), equals: ["own"]))
        for status in [400, 401, 404, 419, 500] {
            let own = try bench.authenticator(expired: sign)
            XCTAssertEqual(try bench.isRefused(error("own", status), by: own), true, "\(status)")
        }
        let status = try bench.authenticator(expired: ExpiryRule(statuses: [401, 419]))
        XCTAssertEqual(try bench.isRefused(error("own", 419), by: status), true)
        XCTAssertEqual(try bench.isRefused(error("own", 401), by: status), false)
    }

    /// What is missing of the body can be the `error`.
    func testAResponseThatWasCutOffRefusesNothing() throws {
        let bench = OAuthBench()
        for status in [200, 400, 401, 403] {
            let whole = error("invalid_client", status)
            for count in [0, 5, 20] {
                XCTAssertEqual(try bench.isRefused(whole.truncated(after: count)), false, "\(status) \(count)")
            }
            let stalling = whole.pausing(after: 5, until: Barrier())
            XCTAssertEqual(try bench.isRefused(stalling), false, "\(status), and the rest does not come")
            let long = ScriptedResponse(
                status: .init(code: status), body: String(repeating: " ", count: 1 << 20) + #"{"error":"x"}"#)
            XCTAssertEqual(try bench.isRefused(long), false, "\(status), and too long to be read")
            guard status >= 400 else { continue }
            let clear = ScriptedResponse.json(#"{"error":"invalid_grant"}  "#, status: .init(code: status))
            XCTAssertEqual(try bench.isRefused(clear.truncated(after: 25)), true, "\(status), but the object is whole")
        }
    }

    func testTheFinalErrorCodesAreConfigurable() throws {
        let bench = OAuthBench()
        let lenient = try bench.authenticator { $0.finalErrors = [.invalidGrant] }
        XCTAssertEqual(try bench.isRefused(error("login_required"), by: lenient), false)
        XCTAssertEqual(try bench.isRefused(error("invalid_grant"), by: lenient), true)
        let strict = try bench.authenticator { $0.finalErrors.insert(.temporarilyUnavailable) }
        XCTAssertEqual(try bench.isRefused(error("temporarily_unavailable"), by: strict), true)
    }

    func testTheErrorNamesTheEndpointAndTheCodeIfItIsRegistered() throws {
        let bench = OAuthBench()
        for (response, ending) in [
            (error("invalid_grant"), "https://id.example/token responded with 400 (invalid_grant)"),
            (error("secret2"), "https://id.example/token responded with 400"),
            (error("slow_down"), "https://id.example/token responded with 400 (slow_down)"),
            (error("server_error", 503), "https://id.example/token responded with 503 (server_error)"),
        ] {
            guard case .failure(let error)? = try bench.refresh(response) else { return XCTFail("no error") }
            let message = (error as? RefreshRefusal)?.message ?? (error as? HTTPClientError)?.message ?? ""
            XCTAssertTrue(message.hasSuffix(ending), message)
            for text in ["\(error)", String(reflecting: error), "\((error as? HTTPClientError)?.underlying as Any)"] {
                XCTAssertFalse(text.contains("secret"), text)
            }
        }
    }

    func testAWrongAddressOfTheEndpointIsToBeChecked() throws {
        for (status, body) in [(404, ""), (405, ""), (410, ""), (404, #"{"error":"not_found"}"#)] {
            let bench = OAuthBench()
            let response = ScriptedResponse(status: .init(code: status), body: body)
            guard case .failure(let error as HTTPClientError)? = try bench.refresh(response) else {
                return XCTFail("no error")
            }
            XCTAssertEqual(error.recoverySuggestion, "check the address of the refresh endpoint")
        }
    }

    // Failure 24: a redirect of the token endpoint sent the refresh token to another origin.
    func testRedirectsOfTheEndpointAreNotFollowedEvenToItself() throws {
        let bench = OAuthBench()
        for status in [301, 302, 303, 307, 308] {
            for target in ["https://id.example/other", "https://evil.example/", "/token"] {
                let response = ScriptedResponse(status: .init(code: status), headers: [.location: target])
                XCTAssertEqual(try bench.isRefused(response), false)
            }
        }
        XCTAssertEqual(bench.server.requestCount, 15)
    }

    func testAnEndlessResponseIsCancelled() throws {
        let bench = OAuthBench()
        let flood = ScriptedResponse(pieces: Array(repeating: Array(repeating: 0x20, count: 1 << 16), count: 64))
        guard case .failure(let error as HTTPClientError)? = try bench.refresh(flood) else { return XCTFail() }
        XCTAssertEqual(error.code, .tooLarge)
        XCTAssertEqual(error.recoverySuggestion, "check the address of the refresh endpoint")
    }

    func testTokensAreSentOverPlainHTTPToLoopbackOnlyUnlessAllowed() throws {
        let bench = OAuthBench()
        func make(_ token: String, _ revocation: String? = nil, allowed: Bool = false) throws {
            _ = try OAuthAuthenticator(
                tokenURL: RequestURL(token), revocationURL: revocation.map { try RequestURL($0) },
                allowsPlainHTTP: allowed, client: bench.client)
        }
        func makeProfile(_ url: String, allowed: Bool = false) throws {
            let token = try JSONPointer("/t")
            _ = try ProfileAuthenticator(
                endpoint: .init(url: RequestURL(url), accessToken: token, refreshToken: token, expiresIn: token),
                allowsPlainHTTP: allowed, client: bench.client)
        }
        XCTAssertNoThrow(try make("http://127.0.0.1:9/token", "http://localhost:9/revoke"))
        XCTAssertNoThrow(try make("http://id.example/token", "http://id.example/revoke", allowed: true))
        XCTAssertNoThrow(try makeProfile("http://[::1]/"))
        XCTAssertNoThrow(try makeProfile("http://id.example/", allowed: true))
        for wrong in [
            { try make("http://id.example/token") }, { try make("https://id.example/", "http://id.example/revoke") },
            { try makeProfile("http://id.example/") },
        ] {
            XCTAssertThrowsError(try wrong()) {
                XCTAssertEqual(($0 as? HTTPClientError)?.code, .invalidRequest)
                XCTAssertEqual(($0 as? HTTPClientError)?.origin, "http://id.example")
            }
        }
    }
}
