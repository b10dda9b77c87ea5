import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests well-formed and malformed requests.
final class ScriptedServerRequestTests: ScriptedServerTestCase {
    func testRequestBodiesAreRecordedAndContinueIsSent() throws {
        try withServer { server, connect in
            server.route { request in ScriptedResponse(body: "\(request.body.count)") }
            let client = connect()
            client.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
            XCTAssertEqual(client.read(upTo: "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n")
            client.send("bo")
            client.send("dy")
            XCTAssertTrue(client.read(upTo: "\r\n\r\n4").hasPrefix("HTTP/1.1 200 OK\r\n"))
            client.send(
                "POST /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nETag: t\r\n\r\n")
            XCTAssertTrue(client.read(upTo: "\r\n\r\n3").hasPrefix("HTTP/1.1 200 OK\r\n"))
            XCTAssertEqual(server.requests.map(\.text), ["body", "abc"])
            XCTAssertEqual(server.requests[1].trailers[.eTag], "t")
        }
    }

    func testAnExpectationCanBeRefused() throws {
        var configuration = ScriptedServer.Configuration()
        configuration.beforeBody = { request in
            request.path == "/no" ? ScriptedResponse(status: .expectationFailed) : nil
        }
        try withServer(configuration) { server, connect in
            let client = connect()
            client.send("POST /no HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
            XCTAssertTrue(client.readToEnd().text.hasPrefix("HTTP/1.1 417 Expectation Failed\r\nConnection: close\r\n"))
            XCTAssertEqual(server.requests.map(\.path), ["/no"])
        }
    }

    func testAnInvalidRequestReceivesAnErrorWithItsReason() throws {
        var configuration = ScriptedServer.Configuration()
        configuration.maximumHeadSize = 1000
        configuration.maximumBodySize = 10
        try withServer(configuration) { server, connect in
            var client = connect()
            client.send("nonsense\r\n\r\n")
            XCTAssertEqual(
                client.readToEnd().text,
                "HTTP/1.1 400 Bad Request\r\nContent-Length: 30\r\nConnection: close\r\n\r\n"
                    + "the request line is malformed\n")
            client = connect()
            client.send("GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 2000))
            XCTAssertTrue(client.readToEnd().text.hasPrefix("HTTP/1.1 431 "))
            client = connect()
            client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\n")
            XCTAssertTrue(client.readToEnd().text.hasPrefix("HTTP/1.1 413 "))
            XCTAssertEqual(server.requestCount, 0)
        }
    }

    func testLimitedReadingTakesItsTime() throws {
        var configuration = ScriptedServer.Configuration()
        configuration.readPace = .limited(bytes: 1024, pause: .milliseconds(5))
        try withServer(configuration) { server, connect in
            server.route { request in ScriptedResponse(body: "\(request.body.count)") }
            let client = connect()
            let clock = ContinuousClock()
            let start = clock.now
            client.send(
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10240\r\n\r\n" + String(repeating: "a", count: 10240))
            XCTAssertTrue(client.read(upTo: "\r\n\r\n10240").hasSuffix("10240"))
            XCTAssertGreaterThanOrEqual(clock.now - start, .milliseconds(45))
        }
    }
}
