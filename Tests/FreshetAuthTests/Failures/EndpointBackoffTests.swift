import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that the client stops sending requests to an endpoint that is down, or that says when to come back.
final class EndpointBackoffTests: FailureTestCase {
    // LangAlpha 379, aidevops 5303: the client caused storms of 429 because it ignored Retry-After.
    func testAnEndpointWithRetryAfterReceivesNoEarlierRequest() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        server.identity.enqueue(.init(status: .tooManyRequests, headers: [.retryAfter: "60"]))
        XCTAssertEqual(error(of: app.get())?.code, .refreshFailed)
        for _ in 0..<50 {
            let call = start(app.get())
            pass(0.01)
            XCTAssertEqual(call.code, .refreshFailed, "at once")
            XCTAssertTrue(call.error?.recoverySuggestion?.description.hasPrefix("try again in") ?? false)
            XCTAssertEqual((call.error?.underlying as? HTTPClientError)?.response?.status, .tooManyRequests)
            pass(0.99)
        }
        XCTAssertEqual(server.identity.requestCount, 1)
        pass(11)
        XCTAssertEqual(try result(of: app.get()).text, "in")
        XCTAssertEqual(app.logins, [])
    }

    // hermes-agent 103663: the client failed 3,338 times in a row. zalando/tokens 10 asks for a circuit breaker.
    func testAFailingEndpointReceivesFewerRequestsUntilItWorksAgain() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        for _ in 0..<1000 { server.identity.enqueue(.init(status: .serviceUnavailable)) }
        for _ in 0..<600 {
            XCTAssertNotEqual(start(app.get()).text, "in")
            pass(1)
        }
        XCTAssertLessThanOrEqual(server.identity.requestCount, 60, "600 requests in ten minutes")
        XCTAssertGreaterThanOrEqual(server.identity.requestCount, 20, "at least every half minute")
        XCTAssertEqual(app.logins, [])
    }

    // The same reports: after the pause one probe is sent for all the callers that wait, and not one probe for each.
    func testOneProbeIsSentAfterThePauseOfTheEndpoint() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        let down = ScriptedResponse(status: .badGateway)
        server.identity.enqueue(down, down, down, down, down)
        for _ in 0..<5 { XCTAssertEqual(error(of: app.get())?.code, .refreshFailed) }
        XCTAssertEqual(error(of: app.get())?.code, .refreshFailed)
        XCTAssertEqual(server.identity.requestCount, 5)
        pass(1.1)
        let all = (0..<100).map { start(app.get("/\($0)")) }
        finish(all)
        XCTAssertEqual(all.map(\.text), Array(repeating: "in", count: 100))
        XCTAssertEqual(server.identity.requestCount, 6)
    }
}
