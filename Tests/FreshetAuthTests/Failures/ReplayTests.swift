import FreshetAuth
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that a replay sends the whole request again, and that only what the caller gave is taken from the first attempt.
final class ReplayTests: FailureTestCase {
    private let signature = HTTPField.Name("X-Signature")!

    // Ktor 9039, emdash 2556, abs-cli 89, Alamofire 3784: the replay had an empty body or a used one, or returned the first
    // response.
    func testAReplaySendsItsWholeBodyAndItsResponseReachesTheCaller() throws {
        let server = server { $0.resource = { ScriptedResponse(body: "got \($0.text)") } }
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        for method in [HTTPRequest.Method.post, .put, .patch] {
            server.expire()
            let call = app.client.send(method, StrictServer.origin + "/orders", body: .text("one of each"))
            XCTAssertEqual(try result(of: call).text, "got one of each")
        }
        XCTAssertEqual(Set(server.api.requests.map(\.text)), ["one of each"])
    }

    // Ktor 9039, abs-cli 89: a body that could not be read again was sent again empty.
    func testAOneShotRequestIsNotReplayedAndItsCallerReceivesTheFirstResponse() throws {
        let server = server {
            $0.sign = ExpiryResponse(response: .init(status: .unauthorized, body: "the first answer"))
        }
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        var request = try Request(.post, StrictServer.origin + "/x", body: .text("read from a pipe"))
        request.isOneShot = true
        XCTAssertEqual(try result(of: app.client.send(request)).text, "the first answer")
        XCTAssertEqual(server.api.requestCount, 1)
        pass(5)
        XCTAssertEqual(try result(of: app.client.send(request)).text, "in", "the next finds the new token")
        XCTAssertEqual(server.counts, .init(refreshes: 1))
    }

    // Alamofire 5.12: a deferred adapter repeated only its own step, with the old signature and the old address.
    // bifrost 17: the replay had the old header.
    func testAReplayRunsThroughAllAdaptersAgain() throws {
        let server = server()
        let app = try App(at: server, store: MemoryStore(server.signIn()), others: [Signing(name: signature)])
        server.expire()
        XCTAssertEqual(try result(of: app.get()).text, "in")
        XCTAssertEqual(
            server.api.requests.map { $0.headers[signature] },
            ["1 Bearer access-1.1", "2 Bearer access-2.1"])
        XCTAssertEqual(server.tokens, ["access-1.1", "access-2.1"])
    }

    // Windup 207: a POST that is sent again may act twice. It does not act twice after a refusal, and may after any other
    // failure.
    func testAPostIsReplayedAfterARefusalOnly() throws {
        let server = server { rules in
            rules.resource = { request in
                switch request.path {
                case "/lost": .reset
                case "/cut": ScriptedResponse(body: "half of it").truncated(after: 4)
                case "/down": .init(status: .serviceUnavailable)
                default: .init(body: "in")
                }
            }
        }
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        func post(_ path: String) -> Single<Response> {
            app.client.post(StrictServer.origin + path, body: .text("order"))
        }
        XCTAssertEqual(error(of: post("/lost"))?.code, .connectionLost)
        XCTAssertEqual(error(of: post("/cut"))?.code, .connectionLost)
        XCTAssertEqual(try result(of: post("/down")).status, .serviceUnavailable)
        XCTAssertEqual(server.api.requestCount, 3)
        server.expire()
        XCTAssertEqual(try result(of: post("/in")).text, "in")
        XCTAssertEqual(server.api.requestCount, 5)
    }

    // shopware/frontends 2702: the refresh and the request had separate timeouts. No other client has one deadline for both.
    func testOneDeadlineCoversTheRequestTheWaitTheRefreshAndTheReplay() throws {
        let server = server { rules in
            rules.refreshDelay = .seconds(3)
            rules.resource = { _ in ScriptedResponse(body: "in").after(.seconds(3)) }
        }
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        var request = try Request(.get, StrictServer.origin + "/x")
        request.timeout = .seconds(5)
        let call = start(app.client.send(request))
        pass(4.9)
        XCTAssertNil(call.value)
        XCTAssertEqual(server.api.requestCount, 2, "it has been replayed")
        pass(0.2)
        XCTAssertEqual(call.code, .timeout)
        XCTAssertEqual(call.error?.response?.status, nil)
        XCTAssertEqual(server.api.abandoned.count, 1)
        request.timeout = .seconds(7)
        server.expire()
        XCTAssertEqual(try result(of: app.client.send(request)).text, "in")
    }

    // The same deadline ends a request that waits for the refresh. The refresh runs on.
    func testTheDeadlineOfOneRequestDoesNotEndTheRefreshOfOthers() throws {
        let server = server { $0.refreshDelay = .seconds(5) }
        let app = try App(at: server, store: MemoryStore(server.signIn()))
        server.expire()
        var request = try Request(.get, StrictServer.origin + "/hasty")
        request.timeout = .seconds(2)
        let limited = start(app.client.send(request))
        let patient = start(app.get("/patient"))
        finish(limited, patient)
        XCTAssertEqual(limited.code, .timeout)
        XCTAssertEqual(limited.error?.phase, .refreshing)
        XCTAssertEqual(patient.text, "in")
        XCTAssertEqual(server.counts, .init(refreshes: 1))
    }
}

/// Signs the request as it stands, with a number that is never used twice.
private final class Signing: RequestInterceptor {
    private let name: HTTPField.Name
    private let count = Locked(0)

    init(name: HTTPField.Name) { self.name = name }

    func adapt(_ request: inout Request) -> Adaptation {
        let number = count.withLock { count in
            count += 1
            return count
        }
        request.headers.append(HTTPField(name: name, value: "\(number) \(request.headers[.authorization] ?? "")"))
        return .ready
    }
}
