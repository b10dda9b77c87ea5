import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

final class ClientAuthenticationTests: XCTestCase {
    private var resources = 0
    private let granted = ScriptedResponse.json(#"{"access_token":"a2"}"#)
    private let refused = ScriptedResponse.json(#"{"error":"invalid_client"}"#, status: 401)

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// The test vector of openid/AppAuth-iOS#233.
    func testBasicEncodesIdentifierAndSecretAsFormFields() throws {
        let bench = OAuthBench()
        let authenticator = try OAuthAuthenticator(
            tokenURL: RequestURL("https://id.example/token"), clientID: "1PpG/Q 1",
            clientSecret: "z/tZ9VwFZqApmIQ+ZH1I5pLk/uB4ud:X2/8bL+wfFTt1rFw=", clientAuthentication: .basic,
            client: bench.client)
        _ = try bench.refresh(granted, by: authenticator)
        XCTAssertEqual(
            bench.server.requests.first?.headers[.authorization],
            "Basic MVBwRyUyRlErMTp6JTJGdFo5VndGWnFBcG1JUSUyQlpIMUk1cExrJTJGdUI0dWQlM0FYMiUyRjhiTCUyQndmRlR0MXJGdyUzRA=="
        )
    }

    func testRawBasicSendsIdentifierAndSecretUnencoded() throws {
        let bench = OAuthBench()
        _ = try bench.refresh(granted, by: bench.authenticator(secret: "s+e/c", by: .basicRaw))
        let proof = Data("cli:s+e/c".utf8).base64EncodedString()
        XCTAssertEqual(bench.server.requests.first?.headers[.authorization], "Basic \(proof)")
    }

    func testAServerThatAcceptsOnlyTheFormReceivesBasicOnce() throws {
        let bench = OAuthBench()
        let authenticator = try bench.authenticator(secret: "s", by: .basicOrForm)
        bench.server.enqueue(refused)
        XCTAssertEqual(try bench.refresh(granted, by: authenticator)?.get().accessToken, "a2")
        XCTAssertEqual(try bench.refresh(granted, by: authenticator)?.get().accessToken, "a2")
        let requests = bench.server.requests
        XCTAssertEqual(requests.map { $0.headers[.authorization] != nil }, [true, false, false])
        XCTAssertEqual(requests.map { $0.text.contains("client_secret=s") }, [false, true, true])
    }

    func testAClientThatIsRefusedBothWaysKeepsItsTokensAndTheErrorNamesTheMethods() throws {
        let bench = OAuthBench()
        let authenticator = try bench.authenticator(secret: "s", by: .basicOrForm)
        bench.server.enqueue(refused)
        XCTAssertEqual(try bench.isRefused(refused, by: authenticator), false)
        bench.server.enqueue(refused)
        guard case .failure(let error as HTTPClientError)? = try bench.refresh(refused, by: authenticator) else {
            return XCTFail("no error")
        }
        XCTAssertTrue(error.message.contains("invalid_client"), error.message)
        XCTAssertTrue(error.message.contains("Basic and the form"), error.message)
    }

    func testAClientThatWasRefusedBothWaysIsAcceptedOnceItIsRegistered() throws {
        let bench = OAuthBench()
        let authenticator = try bench.authenticator(secret: "s", by: .basicOrForm)
        bench.server.enqueue(refused)
        XCTAssertEqual(try bench.isRefused(refused, by: authenticator), false)
        bench.server.enqueue(refused)
        XCTAssertEqual(try bench.refresh(granted, by: authenticator)?.get().accessToken, "a2")
        XCTAssertEqual(
            bench.server.requests.map { $0.headers[.authorization] != nil }, [true, false, true, false])
    }

    func testAFailureOfTheServerDoesNotCountAsItsConsentToTheForm() throws {
        let bench = OAuthBench()
        let authenticator = try bench.authenticator(secret: "s", by: .basicOrForm)
        bench.server.enqueue(refused)
        XCTAssertEqual(try bench.isRefused(ScriptedResponse(status: .badGateway), by: authenticator), false)
        XCTAssertEqual(try bench.refresh(granted, by: authenticator)?.get().accessToken, "a2")
        XCTAssertEqual(bench.server.requests.map { $0.headers[.authorization] != nil }, [true, false, true])
    }

    func testAResponseThatDoesNotJudgeTheClientLeavesTheChoiceOpen() throws {
        for response in [ScriptedResponse(status: 429), .json(#"{"error":"invalid_request"}"#, status: 400)] {
            let bench = OAuthBench()
            let authenticator = try bench.authenticator(secret: "s", by: .basicOrForm)
            bench.server.enqueue(refused)
            XCTAssertThrowsError(try bench.refresh(response, by: authenticator)?.get())
            XCTAssertEqual(try bench.refresh(granted, by: authenticator)?.get().accessToken, "a2")
            XCTAssertEqual(
                bench.server.requests.map { $0.headers[.authorization] != nil }, [true, false, true], "\(response)")
        }
    }

    func testAnErrorWithTheStatus200IsNoConsentToTheForm() throws {
        let bench = OAuthBench()
        let authenticator = try bench.authenticator(secret: "s", by: .basicOrForm)
        bench.server.enqueue(refused)
        XCTAssertThrowsError(try bench.refresh(.json(#"{"error":"invalid_client"}"#), by: authenticator)?.get())
        XCTAssertEqual(try bench.refresh(granted, by: authenticator)?.get().accessToken, "a2")
        XCTAssertEqual(bench.server.requests.map { $0.headers[.authorization] != nil }, [true, false, true])
    }

    func testAPollThatWaitsForThePersonSettlesTheChoice() throws {
        let bench = OAuthBench()
        let authenticator = try bench.authenticator(secret: "s", by: .basicOrForm)
        bench.server.enqueue(refused)
        let pending = ScriptedResponse.json(#"{"error":"authorization_pending"}"#, status: 400)
        for _ in 1...2 { XCTAssertThrowsError(try bench.refresh(pending, by: authenticator)?.get()) }
        XCTAssertEqual(bench.server.requests.map { $0.headers[.authorization] != nil }, [true, false, false])
    }

    func testARefusalOfTheFormWithoutACodeDoesNotEndTheSession() throws {
        let bench = OAuthBench()
        let authenticator = try bench.authenticator(secret: "wrong", by: .basicOrForm)
        bench.server.enqueue(refused)
        XCTAssertEqual(try bench.isRefused(ScriptedResponse(status: 401), by: authenticator), false)
    }

    func testAServerThatNoLongerAcceptsTheFormReceivesBasicAgain() throws {
        let bench = OAuthBench()
        let authenticator = try bench.authenticator(secret: "s", by: .basicOrForm)
        bench.server.enqueue(refused)
        XCTAssertEqual(try bench.refresh(granted, by: authenticator)?.get().accessToken, "a2")
        XCTAssertThrowsError(try bench.refresh(refused, by: authenticator)?.get())
        XCTAssertEqual(try bench.refresh(granted, by: authenticator)?.get().accessToken, "a2")
        XCTAssertEqual(bench.server.requests.map { $0.headers[.authorization] != nil }, [true, false, false, true])
    }

    func testAnAssertionIsCreatedForEachRequest() throws {
        let bench = OAuthBench()
        let made = Locked(0)
        let authenticator = try bench.authenticator(
            by: .assertion { endpoint in
                .just("proof\(made.withLock { $0 += 1; return $0 })-of-\(endpoint.host)")
            })
        for _ in 1...2 { _ = try bench.refresh(granted, by: authenticator) }
        XCTAssertEqual(
            bench.server.requests.map(\.text),
            (1...2).map {
                "grant_type=refresh_token&refresh_token=r1"
                    + "&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
                    + "&client_assertion=proof\($0)-of-id.example&client_id=cli"
            })
    }

    /// Azure/azure-sdk-for-rust#1739: the file was read once, so that the assertion was too old after an hour.
    func testAnAssertionInAFileIsReadForEachRequest() throws {
        let bench = OAuthBench()
        let path = FileManager.default.temporaryDirectory.appending(path: "assertion-\(UUID())").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let authenticator = try bench.authenticator(by: .assertion(fromFile: path, on: bench.scheduler))
        for text in ["one\n", " two "] {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            _ = try bench.refresh(granted, by: authenticator)
        }
        XCTAssertEqual(bench.server.requests.map { $0.text.contains("client_assertion=one&") }, [true, false])
        XCTAssertEqual(bench.server.requests.map { $0.text.contains("client_assertion=two&") }, [false, true])
        for text in ["", "a b"] {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            XCTAssertThrowsError(try bench.result(authenticator.refresh(pair(1)))?.get()) {
                XCTAssertEqual(($0 as? HTTPClientError)?.code, .invalidRequest)
            }
        }
        try FileManager.default.removeItem(atPath: path)
        XCTAssertThrowsError(try bench.result(authenticator.refresh(pair(1)))?.get())
        XCTAssertEqual(bench.server.requestCount, 2)
    }

    func testAnEndpointBesideTheTokenEndpointReceivesNothingOverPlainHTTPUnlessThatIsAllowed() throws {
        for isAllowed in [false, true] {
            let bench = OAuthBench()
            let endpoint = try TokenEndpoint(
                url: RequestURL("https://id.example/token"), clientID: "cli", clientSecret: "s",
                allowsPlainHTTP: isAllowed, client: bench.client)
            let result = bench.result(endpoint.send([], to: try RequestURL("http://id.example/device")))
            if case .failure(let error)? = result {
                XCTAssertEqual((error as? HTTPClientError)?.code, .invalidRequest)
            }
            XCTAssertEqual(bench.server.requestCount, isAllowed ? 1 : 0)
            XCTAssertNotNil(try bench.result(endpoint.send([], to: RequestURL("http://127.0.0.1/device")))?.get())
        }
    }
}
