import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetSignIn

/// The issues and pull requests in comments are those in which users of other clients reported failures.
final class DeviceLoginTests: XCTestCase {
    private var resources = 0
    private let pending = ScriptedResponse.json(#"{"error":"authorization_pending"}"#, status: .badRequest)
    private let granted = ScriptedResponse.json(#"{"access_token":"a","refresh_token":"r"}"#)

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func code(_ members: String = #","interval":5"#, life: Int = 900) -> ScriptedResponse {
        .json(
            """
            {"device_code":"dc","user_code":"AB-CD","verification_uri":"https://id.example/activate","expires_in":\(life)\
            \(members)}
            """)
    }

    private func slowDown(_ rest: String = "") -> ScriptedResponse {
        .json(#"{"error":"slow_down"\#(rest)}"#, status: .badRequest)
    }

    private func run(_ responses: ScriptedResponse...) throws -> LoginBench {
        let bench = LoginBench()
        for response in responses { bench.script(response) }
        bench.run(try bench.device().events())
        return bench
    }

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

    /// netbirdio/netbird PR#7013: without an interval the client polled without a pause.
    func testTheDefaultIntervalIsFiveSeconds() throws {
        for (members, wait) in [("", 5), (#","interval":0"#, 1), (#","interval":"7""#, 7), (#","interval":-1"#, 5)] {
            XCTAssertEqual(try run(code(members), granted).times.withLock { $0 }, [0, Double(wait)], members)
        }
    }

    /// gitify-app/gitify PR#2899, earendil-works/pi#6187: a `slow_down` lengthens the interval of all later polls. If it names
    /// an interval, the larger one applies.
    func testEachSlowDownAddsFiveSecondsPermanently() throws {
        let bench = try run(code(), slowDown(), pending, slowDown(#","interval":40"#), granted)
        XCTAssertEqual(bench.times.withLock { $0 }, [0, 5, 15, 25, 65])
        XCTAssertNotNil(bench.credential)
        let limited = try run(code(), ScriptedResponse(status: .tooManyRequests), granted)
        XCTAssertEqual(limited.times.withLock { $0 }, [0, 5, 15])
    }

    /// NousResearch/hermes-agent#114610: one 502 ended a login of 15 minutes.
    func testNetworkAndGatewayErrorsAreRetriedLessOften() throws {
        let lost = ScriptedResponse.failure(
            HTTPClientError(.connectionLost, phase: .waiting, message: "the connection is lost"))
        let bench = try run(code(), ScriptedResponse(status: .badGateway, body: "<html>"), lost, pending, granted)
        XCTAssertEqual(bench.times.withLock { $0 }, [0, 5, 15, 35, 40])
        XCTAssertNotNil(bench.credential)
        for portal in [
            ScriptedResponse(body: "<html>"),
            ScriptedResponse(status: .found, headers: [.location: "https://portal.example/"]),
        ] {
            let bench = try run(code(), portal, granted)
            XCTAssertEqual(bench.times.withLock { $0 }, [0, 5, 15])
            XCTAssertNotNil(bench.credential)
        }
    }

    /// RFC 8628 section 3.5: a client must poll less often after a timeout.
    func testErrorsSlowThePollsDownEvenAtALongInterval() throws {
        let gateway = ScriptedResponse(status: .badGateway)
        let bench = try run(code(#","interval":60"#), gateway, gateway, pending, granted)
        XCTAssertEqual(bench.times.withLock { $0 }, [0, 60, 180, 300, 360])
    }

    func testADeviceLoginPollsOnceMoreBeforeItsCodeExpires() throws {
        let gateway = ScriptedResponse(status: .badGateway)
        let bench = try run(code(life: 70), gateway, gateway, gateway, granted)
        XCTAssertEqual(bench.times.withLock { $0 }, [0, 5, 15, 35, 65])
        XCTAssertNotNil(bench.credential)
        let short = try run(code(life: 12), gateway, gateway)
        XCTAssertEqual(short.times.withLock { $0 }, [0, 5, 10])
        XCTAssertEqual(short.error?.code, .timeout)
        XCTAssertEqual(short.now, 1012)
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

    func testTheErrorNamesTheFailureOfTheLastPoll() throws {
        let lost = ScriptedResponse.failure(
            HTTPClientError(.connect, phase: .connecting, message: "nothing listens there"))
        for (response, failure) in [
            (ScriptedResponse(status: .internalServerError), "the token endpoint responded with 500"),
            (lost, "nothing listens there"),
            (ScriptedResponse(body: "<html>"), "the token endpoint responded with 200, without a JSON object"),
        ] {
            let bench = try run(code(life: 12), response, response)
            XCTAssertEqual(bench.error?.code, .timeout)
            XCTAssertEqual(
                bench.error?.message, "the code was not entered within 12.0 seconds; the last poll failed: \(failure)")
        }
        let recovered = try run(code(life: 12), lost, pending)
        XCTAssertEqual(recovered.error?.message, "the code was not entered within 12.0 seconds")
    }

    func testAPollWithoutAResponseEndsWithTheCode() throws {
        let bench = try run(code(life: 12), .deferred(.never()))
        XCTAssertEqual(bench.error?.code, .timeout)
        XCTAssertEqual(bench.now, 1012)
        let message = try XCTUnwrap(bench.error?.message)
        XCTAssertTrue(message.hasSuffix("the token endpoint has not responded before the code expired"), message)
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

    /// Auth0 responds with 403, Google with 428, GitHub with 200.
    func testTheErrorCodeDecidesInsteadOfTheStatus() throws {
        for status in [200, 400, 403, 404, 428] {
            let pending = ScriptedResponse.json(#"{"error":"authorization_pending"}"#, status: .init(code: status))
            XCTAssertNotNil(try run(code(), pending, granted).credential, "\(status)")
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

    /// A person who takes a day at an interval of 1 s must not end the program.
    func testThousandsOfPollsNeedNoMoreStackThanOne() throws {
        let bench = LoginBench()
        bench.script(code(#","interval":1"#, life: 86_400))
        for _ in 0..<7_500 { bench.script(pending) }
        bench.script(granted)
        bench.run(try bench.device().events())
        XCTAssertNotNil(bench.credential)
        XCTAssertEqual(bench.times.withLock { $0.last }, 7_501)
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
