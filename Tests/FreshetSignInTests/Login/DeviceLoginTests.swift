import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetSignIn

/// The issues and pull requests in comments are those in which users of other clients reported failures.
final class DeviceLoginTests: DeviceLoginTestCase {
    func testTheCodeIsShownAndPollsFollowEachResponseByTheInterval() throws {
        let bench = try run(code(), pending.after(.seconds(2)), pending, granted)
        XCTAssertEqual(bench.times.withLock { $0 }, [0, 5, 12, 17])
        XCTAssertEqual(bench.credential, Credential(accessToken: "a", refreshToken: "r"))
        guard case .device(let shown)? = bench.events.withLock({ $0.first }) else { return XCTFail("no code") }
        XCTAssertEqual(shown.userCode, "AB-CD")
        XCTAssertEqual(shown.verificationURL.absoluteString, "https://id.example/activate")
        XCTAssertNil(shown.completeURL)
        XCTAssertEqual(shown.expiresAt, 1900)
        XCTAssertEqual(
            bench.server.requests.last?.text,
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=dc&client_id=cli")
    }

    func testALoginThatWaitsForItsNextPollEndsWithTheClient() throws {
        let bench = LoginBench()
        bench.script(code(), pending)
        let subscription = bench.begin(try bench.device().events())
        bench.scheduler.advanceBy(7000)
        XCTAssertEqual(bench.server.requestCount, 2)
        let draining = bench.client.drain().subscribe { _ in }
        XCTAssertEqual(bench.error?.code, .cancelled)
        subscription.dispose()
        draining.dispose()
        bench.scheduler.start()
    }

    /// The person has entered the code, and it cannot be used again.
    func testAPollThatIsUnderWayFinishesDuringADrain() throws {
        let bench = LoginBench()
        bench.script(code(), granted.after(.seconds(2)))
        let subscription = bench.begin(try bench.device().events())
        bench.scheduler.advanceBy(6000)
        let draining = bench.client.drain().subscribe { _ in }
        bench.scheduler.start()
        XCTAssertNotNil(bench.credential)
        subscription.dispose()
        draining.dispose()
    }

    func testTheFirstRequestHasTheScopeTheResourcesAndTheClient() throws {
        let bench = LoginBench()
        bench.script(code(), granted)
        bench.run(try bench.device(LoginScope(scope: "a b", resources: ["https://r/"])).events())
        XCTAssertEqual(bench.server.requests.first?.text, "scope=a+b&resource=https%3A%2F%2Fr%2F&client_id=cli")
        XCTAssertTrue(bench.server.requests.last?.text.contains("resource=https%3A%2F%2Fr%2F") == true)
    }

    /// Auth0 issues the tokens for the API that the first request names as its `audience`.
    func testTheFirstRequestHasTheFurtherParametersOfTheLogin() throws {
        let bench = LoginBench()
        bench.script(code(), granted)
        var scope = LoginScope(scope: "a")
        scope.parameters = ["audience": "https://api/", "acr_values": "mfa"]
        bench.run(try bench.device(scope).events())
        XCTAssertEqual(
            bench.server.requests.first?.text, "scope=a&acr_values=mfa&audience=https%3A%2F%2Fapi%2F&client_id=cli")
        XCTAssertFalse(try XCTUnwrap(bench.server.requests.last).text.contains("audience"))
    }

    func testACompleteAddressThatIsNullIsAbsent() throws {
        let bench = try run(code(#","verification_uri_complete":null"#), granted)
        XCTAssertNotNil(bench.credential)
        guard case .device(let shown)? = bench.events.withLock({ $0.first }) else { return XCTFail("no code") }
        XCTAssertNil(shown.completeURL)
    }

    /// A Bearer token could be used by anybody who has it, and the API would refuse it as one of another type.
    func testALoginWithProofsAcceptsOnlyATokenThatIsBoundToItsKey() throws {
        for (type, isRight) in [
            (#""DPoP""#, true), (#""dpop""#, true), (#""Bearer""#, false), (#""""#, false), ("null", false),
        ] {
            let bench = LoginBench()
            bench.script(code(), .json(#"{"access_token":"a","token_type":\#(type)}"#))
            bench.run(try bench.device(proof: DPoP()).events())
            XCTAssertEqual(bench.error?.code, isRight ? nil : .decoding, type)
        }
        let bench = LoginBench()
        bench.script(code(), granted)
        bench.run(try bench.device(proof: DPoP()).events())
        XCTAssertEqual(bench.error?.code, .decoding)
    }

    func testALoginRefusesATokenOfAnUnknownType() throws {
        for (type, isRight) in [
            (#""Bearer""#, true), (#""bearer""#, true), ("null", true), (#""mac""#, false), (#""DPoP""#, false),
            ("7", false),
        ] {
            let bench = try run(code(), .json(#"{"access_token":"a","token_type":\#(type)}"#))
            XCTAssertEqual(bench.error?.code, isRight ? nil : .decoding, type)
            XCTAssertEqual(bench.credential != nil, isRight, type)
        }
    }

    func testALoginAcceptsATokenOfTheTypeOfItsPlacement() throws {
        let bench = LoginBench()
        var endpoint = try bench.endpoint()
        endpoint.placement = .authorization(scheme: "Token")
        bench.script(code(), .json(#"{"access_token":"a","token_type":"token"}"#))
        bench.run(
            DeviceLogin(
                endpoint: endpoint, deviceURL: try RequestURL("https://id.example/device"), scheduler: bench.scheduler
            ).events())
        XCTAssertNotNil(bench.credential)
    }

    /// ramosbugs/oauth2-rs#214: the waits doubled past the expiry.
    func testTheCodeExpiresOnTheClockOfTheFirstRequest() throws {
        let bench = try run(code(life: 12).after(.seconds(3)), pending, pending)
        XCTAssertEqual(bench.error?.code, .timeout)
        XCTAssertEqual(bench.times.withLock { $0 }, [0, 8])
        XCTAssertEqual(bench.now, 1012)
        let reported = try run(code(), .json(#"{"error":"expired_token"}"#, status: .badRequest))
        XCTAssertEqual(reported.error?.code, .timeout)
    }

    func testALimitBeforeTheExpiryOfTheCodeIsNamedInTheError() throws {
        let bench = LoginBench()
        bench.script(code(), pending)
        bench.run(try bench.device(limit: .seconds(7)).events())
        XCTAssertEqual(bench.error?.code, .timeout)
        XCTAssertEqual(bench.error?.message, "the code was not entered within 7.0 seconds")
        XCTAssertEqual(bench.now, 1007)
    }

    func testARefusalEndsTheLogin() throws {
        let allow: HTTPClientError.RecoverySuggestion = "log in again, and allow the access there"
        let cases: [(String, HTTPClientError.Code, HTTPClientError.RecoverySuggestion?)] = [
            ("access_denied", .accessDenied, allow), ("authorization_declined", .accessDenied, allow),
            ("invalid_grant", .status, "begin the login again"), ("device_not_found", .status, nil),
        ]
        for (error, code, suggestion) in cases {
            for status in [200, 400, 403] {
                let bench = try run(self.code(), .json(#"{"error":"\#(error)"}"#, status: .init(code: status)))
                XCTAssertEqual(bench.error?.code, code, "\(status) \(error)")
                XCTAssertNil(bench.credential)
                XCTAssertEqual(bench.error?.recoverySuggestion, suggestion, error)
            }
        }
    }

    func testARefusalOfTheDeviceEndpointSaysWhatToCheck() throws {
        let cases = [
            ("invalid_client", "check the client's identifier and secret, and its way to prove itself (client_auth)"),
            ("unauthorized_client", "choose a way to log in that the server allows this client"),
            ("other", "check that the server allows this client to log in by device"),
        ]
        for (error, suggestion) in cases {
            let bench = try run(.json(#"{"error":"\#(error)"}"#, status: .unauthorized))
            XCTAssertEqual(bench.error?.code, .status)
            XCTAssertTrue(bench.error?.message.contains("responded with 401 (\(error))") ?? false)
            XCTAssertEqual(bench.error?.recoverySuggestion.map { "\($0)" }, suggestion)
        }
    }

    /// heygen-com/hyperframes PR#2836: the server sent escape sequences of a terminal, and file addresses.
    func testANonHTTPURLAndACodeWithControlCharactersAreProtocolErrors() throws {
        let start = #"{"device_code":"dc","expires_in":60"#
        for rest in [
            #","user_code":"A","verification_uri":"file:///etc/passwd"}"#, #","user_code":"A","verification_uri":"x"}"#,
            #","user_code":"\u001b[2J","verification_uri":"https://id.example/"}"#,
            #","user_code":"\u009b2J","verification_uri":"https://id.example/"}"#,
            #","user_code":"A\u202eB","verification_uri":"https://id.example/"}"#,
            #","user_code":"A","verification_uri":"https://id.example/\u0007"}"#,
            #","user_code":"A","verification_uri":"https://id.example/","verification_uri_complete":"javascript:1"}"#,
            #","verification_uri":"https://id.example/"}"#, #","user_code":"A"}"#,
        ] {
            let bench = try run(.json(start + rest))
            XCTAssertEqual(bench.error?.code, .protocol, rest)
            XCTAssertEqual(bench.events.withLock { $0.count }, 0)
        }
        XCTAssertEqual(try run(.json("{}", status: .forbidden)).error?.code, .status)
        let google = #","user_code":"A","verification_url":"https://id.example/device"}"#
        XCTAssertNotNil(try run(.json(start + google), granted).credential)
    }

    func testADisposedLoginSendsNoFurtherPoll() throws {
        let bench = LoginBench()
        bench.script(code(), pending, granted)
        let subscription = bench.begin(try bench.device().events())
        bench.scheduler.advanceTo(7000)
        subscription.dispose()
        bench.scheduler.start()
        XCTAssertEqual(bench.times.withLock { $0 }, [0, 5])
        XCTAssertNil(bench.credential)
    }
}
