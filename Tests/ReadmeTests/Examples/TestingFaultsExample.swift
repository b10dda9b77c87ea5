import Freshet
import FreshetHTTPTesting
import FreshetTesting
import XCTest

/// The examples of the page about testing that have routes and faults.
final class TestingFaultsExample: ResourceTestCase {
    func testRoutesRespondToMatchingRequests() throws {
        let transport = StubTransport()
        transport.route(.get, "/users/*") { request in .json(#"{"path":"\#(request.path)"}"#) }
        transport.route(
            .post, "/orders", responses: ScriptedResponse(status: .created), ScriptedResponse(status: .conflict))
        let client = HTTPClient(transport: transport, scheduler: TestScheduler(initialClock: 0))

        XCTAssertEqual(try client.get("http://example.com/users/7").toBlocking().single().text, #"{"path":"/users/7"}"#)
        XCTAssertThrowsError(try client.get("http://example.com/nothing").toBlocking().single()) { error in
            // invalid_request: nothing is scripted for GET /nothing, and the routes are GET /users/*, POST /orders
            XCTAssertEqual((error as? HTTPClientError)?.code, .invalidRequest)
        }
        XCTAssertEqual(transport.requests(.get, to: "/users/*").count, 1)
        XCTAssertEqual(transport.unmatched.map(\.path), ["/nothing"])
    }

    func testAServerCanCloseAnywhere() throws {
        let runtime = try FreshetRuntime()
        defer { runtime.shutdown() }
        let server = try ScriptedServer(on: runtime.loop)
        defer { server.close() }

        server.enqueue(.raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", then: .reset))
        XCTAssertThrowsError(try runtime.client.get(server.url).toBlocking().single()) { error in
            XCTAssertEqual((error as? HTTPClientError)?.code, .connectionLost)
        }

        server.enqueue(connection: .ended(afterReading: 20, by: .close))
        XCTAssertThrowsError(try runtime.client.get(server.url).toBlocking().single())

        let throttle = Throttle()
        server.enqueue(ScriptedResponse(body: "slow").throttled(by: throttle))
        let response = runtime.client.get(server.url).map(\.text).asObservable().share(replay: 1, scope: .forever)
        let subscription = response.subscribe()
        throttle.allow(25)
        throttle.open()
        XCTAssertEqual(try response.toBlocking().single(), "slow")
        subscription.dispose()
    }
}
