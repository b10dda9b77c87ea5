import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetAuth

/// The numbers in comments are those of the failures in the article RefreshFailures.
final class AuthenticationInterceptorTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    func testARequestCarriesTheTokenAndA401IsRefreshedAndReplayed() throws {
        let bench = try ClientBench()
        XCTAssertEqual(try bench.result(bench.get())?.get().text, "hello")
        bench.newest.withLock { $0 = 2 }
        bench.identity.enqueue(.json(#"{"access_token":"a2","refresh_token":"r2"}"#))
        XCTAssertEqual(try bench.result(bench.get())?.get().text, "hello")
        XCTAssertEqual(bench.tokens, ["a1", "a1", "a2"])
        XCTAssertEqual(try bench.result(bench.store.load())?.get().credential?.refreshToken, "r2")
    }

    func testATruncatedResponseIsStillRecognisedAsAnExpiry() throws {
        let bench = try ClientBench()
        bench.api.enqueue(ScriptedResponse(status: .unauthorized, body: "expired").truncated(after: 3))
        bench.newest.withLock { $0 = 2 }
        bench.identity.enqueue(.json(#"{"access_token":"a2","refresh_token":"r2"}"#))
        XCTAssertEqual(try bench.result(bench.get())?.get().text, "hello")
        XCTAssertEqual(bench.tokens, ["a1", "a2"])
    }

    // Failures 1, 2 and 17, at a server that rotates both tokens.
    func testAHundredRequestsAtOnceRefreshOnceAndAllAreReplayed() throws {
        let bench = try ClientBench(serverIsAt: 1, refusing: .init(code: 419), signs: ExpiryRule(statuses: [419]))
        bench.revoke()
        let endings = (0..<100).map { _ in Ending<Response>() }
        for ending in endings { _ = bench.get().subscribe { ending.set($0) } }
        bench.scheduler.start()
        for ending in endings { XCTAssertEqual(try ending.value?.get().text, "hello") }
        XCTAssertEqual(bench.identity.requestCount, 1)
        XCTAssertEqual(bench.api.requestCount, 200)
    }

    func testARefusedRefreshFailsEveryRequestAndRequiresOneLogin() throws {
        let bench = try ClientBench()
        bench.revoke()
        bench.identity.enqueue(.json(#"{"error":"invalid_grant"}"#, status: .badRequest).after(.seconds(1)))
        let endings = (0..<50).map { _ in Ending<Response>() }
        for ending in endings { _ = bench.get().subscribe { ending.set($0) } }
        bench.scheduler.start()
        for ending in endings {
            let error = ending.error
            XCTAssertEqual(error?.code, .loginRequired)
            XCTAssertEqual((error?.underlying as? RefreshRefusal)?.response?.text, #"{"error":"invalid_grant"}"#)
            XCTAssertEqual(error?.response?.text, "expired")
            XCTAssertEqual(error?.origin, "https://api.example")
        }
        XCTAssertEqual(bench.announced.withLock { $0 }, [.refused])
        XCTAssertEqual(bench.failure(bench.get())?.code, .loginRequired)
        XCTAssertEqual(bench.api.requestCount, 50, "nothing is sent without a session")
    }

    // Failure 22.
    func testATransientFailureOfTheEndpointKeepsTheTokens() throws {
        for failing in [
            ScriptedResponse(status: .serviceUnavailable), ScriptedResponse(status: .tooManyRequests), .reset,
            ScriptedResponse(status: .found, headers: [.location: "https://evil.example/"]), .json("{}"),
            .json("garbage"),
            .json(#"{"access_token":"a\n2"}"#), .silence,
        ] {
            let bench = try ClientBench()
            bench.revoke()
            bench.identity.enqueue(failing)
            let error = bench.failure(bench.get())
            XCTAssertEqual(error?.code, .refreshFailed)
            XCTAssertNotNil(error?.underlying)
            XCTAssertEqual(error?.response?.text, "expired")
            XCTAssertEqual(bench.announced.withLock { $0 }, [])
            XCTAssertEqual(
                try bench.result(bench.store.load())?.get(), StoredCredential(credential: pair(1), version: 1))
            XCTAssertEqual(bench.identity.requestCount, 1, "no second try, and no redirect followed")
        }
    }

    // Failures 5 and 12: the refresh waited for itself, or carried the expired token.
    func testTheRefreshRequestCarriesNoAuthorizationAndIsNotInterceptedByItself() throws {
        let bench = try ClientBench()
        bench.revoke()
        _ = bench.result(bench.get())
        let request = bench.identity.requests.first
        XCTAssertEqual(request?.headers[.authorization]?.hasPrefix("Basic "), true, "the client's own proof")
        XCTAssertEqual(request?.text, "grant_type=refresh_token&refresh_token=r1&client_id=cli")
    }

    // Failure 13: a 401 without WWW-Authenticate caused no refresh. Failure 14: only the body said that the token had expired.
    func testTheBodyOfAResponseCanIndicateAnExpiredToken() throws {
        let signs = ExpiryRule(statuses: [], body: .init(pointer: try JSONPointer("/errorCode"), equals: ["E05"]))
        for status in [HTTPResponse.Status.badRequest, .internalServerError] {
            let bench = try ClientBench(refusing: status, refusal: #"{"errorCode":"E05"}"#, signs: signs)
            bench.revoke()
            XCTAssertEqual(try bench.result(bench.get())?.get().text, "hello")
            XCTAssertEqual(bench.identity.requestCount, 1)
        }
        for refusal in [#"{"errorCode":"E06"}"#, "no JSON", #"{"errorCode":{}}"#] {
            let bench = try ClientBench(refusing: .badRequest, refusal: refusal, signs: signs)
            bench.revoke()
            XCTAssertEqual(try bench.result(bench.get())?.get().text, refusal, "delivered whole after the peek")
            XCTAssertEqual(bench.identity.requestCount, 0)
        }
    }

    // Failure 16.
    func testAServerThatAlwaysRefusesReceivesTwoReplays() throws {
        let bench = try ClientBench()
        bench.newest.withLock { $0 = 99 }
        for number in 2...4 { bench.identity.enqueue(.json(#"{"access_token":"a\#(number)"}"#)) }
        let error = bench.failure(bench.get())
        XCTAssertEqual(error?.code, .refreshStorm)
        XCTAssertEqual(error?.response?.text, "expired")
        XCTAssertEqual(bench.tokens, ["a1", "a2", "a3"])
    }

    func testAttemptsOfAnotherRetrierDoNotCountAsReplays() throws {
        let bench = try ClientBench(others: [RetryPolicy(limit: 3, random: { 0 }, secondsSince1970: { 0 })])
        bench.revoke()
        let down = ScriptedResponse(status: .serviceUnavailable)
        bench.api.enqueue(down, down, down)
        XCTAssertEqual(try bench.result(bench.get())?.get().text, "hello")
        XCTAssertEqual(bench.tokens, ["a1", "a1", "a1", "a1", "a2"])
    }

    // Failure 23: the replay had an empty body, or its response was dropped.
    func testAReplaySendsTheWholeBodyAndItsResponseIsDelivered() throws {
        let bench = try ClientBench()
        bench.revoke()
        let response = try bench.result(bench.client.post("https://api.example/x", body: .text("order")))?.get()
        XCTAssertEqual(response?.text, "hello")
        XCTAssertEqual(bench.api.requests.map(\.text), ["order", "order"])
    }

    func testAReplayWaitsForTheDelay() throws {
        let bench = try ClientBench(retryDelay: .seconds(5))
        bench.revoke()
        XCTAssertEqual(try bench.result(bench.get())?.get().text, "hello")
        XCTAssertEqual(bench.scheduler.clock, 6000)
    }

    func testARequestWithItsOwnAuthorizationIsNotChanged() throws {
        let bench = try ClientBench()
        let response = try bench.result(bench.get(headers: [.authorization: "Key abc"]))?.get()
        XCTAssertEqual(response?.status, .unauthorized)
        XCTAssertEqual(bench.api.requests.map { $0.headers[.authorization] }, ["Key abc"])
        XCTAssertEqual(bench.identity.requestCount, 0)
    }

    // Failure 24: a redirect sent the token to another host, port or scheme.
    func testOnlyTheNamedOriginsReceiveTheCredential() throws {
        let bench = try ClientBench(placement: .authorization(headers: [.init("X-Api-Key")!: "key"]))
        for url in ["http://api.example/", "https://api.example:8443/", "https://api.example.evil/", "https://b/"] {
            XCTAssertEqual(try bench.result(bench.get(url))?.get().status, .unauthorized)
        }
        for target in ["https://b/", "https://api.example:8443/"] {
            bench.api.enqueue(ScriptedResponse(status: .found, headers: [.location: target]))
            XCTAssertEqual(try bench.result(bench.get())?.get().status, .unauthorized)
        }
        for request in bench.api.requests where request.origin != "https://api.example" {
            XCTAssertNil(request.headers[.authorization])
            XCTAssertNil(request.headers[.init("X-Api-Key")!])
        }
        XCTAssertEqual(bench.identity.requestCount, 0, "a stranger's 401 says nothing about the credential")
    }

    func testThreeFieldsAreSentToOneBaseURL() throws {
        let bench = try ClientBench(
            placement: .fields(
                access: .init("X-Access")!, refresh: .init("X-Refresh")!, headers: [.init("X-Api-Key")!: "key"]))
        bench.revoke()
        XCTAssertEqual(try bench.result(bench.get(headers: [.authorization: "mine"]))?.get().text, "hello")
        let last = try XCTUnwrap(bench.api.requests.last)
        XCTAssertEqual(last.headers[.init("X-Access")!], "a2")
        XCTAssertEqual(last.headers[.init("X-Refresh")!], "r2")
        XCTAssertEqual(last.headers[.init("X-Api-Key")!], "key")
        XCTAssertEqual(last.headers[.authorization], "mine")
    }

    func testWithoutARefreshTokenTheCallerReceivesLoginRequiredAndTheOriginalResponse() throws {
        let bench = try ClientBench(store: MemoryStore(Credential(accessToken: "old")))
        let error = bench.failure(bench.get())
        XCTAssertEqual(error?.code, .loginRequired)
        XCTAssertEqual(error?.response?.text, "expired")
        XCTAssertEqual(bench.identity.requestCount, 0)
    }

    func testAFieldThatALaterInterceptorReplacedCausesNoRefresh() throws {
        let bench = try ClientBench(others: [Overwriting()])
        XCTAssertEqual(try bench.result(bench.get())?.get().status, .unauthorized)
        XCTAssertEqual(bench.identity.requestCount, 0)
    }

    func testCancellingAWaitingRequestLeavesTheRefreshRunning() throws {
        let bench = try ClientBench()
        bench.revoke()
        let subscription = bench.get().subscribe { _ in XCTFail("it was cancelled") }
        bench.scheduler.advanceTo(500)
        subscription.dispose()
        bench.scheduler.start()
        XCTAssertEqual(bench.gate.current?.accessToken, "a2")
    }

    func testNoErrorShowsAToken() throws {
        let bench = try ClientBench(store: MemoryStore(Credential(accessToken: "secretA", refreshToken: "secretR")))
        bench.identity.enqueue(.json(#"{"error":"secretE"}"#, status: .badRequest))
        let error = try XCTUnwrap(bench.failure(bench.get()))
        for text in ["\(error)", String(reflecting: error), "\(error.underlying as Any)"] {
            XCTAssertFalse(text.contains("secret"), text)
        }
    }
}

/// Replaces the `Authorization` field with a key of its own.
private struct Overwriting: RequestInterceptor {
    func adapt(_ request: inout Request) -> Adaptation {
        request.headers[.authorization] = "Key abc"
        return .ready
    }
}
