import FreshetCore
import FreshetHTTPTesting
import FreshetLoop
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
            let text = client.readToEnd().text
            XCTAssertTrue(text.hasPrefix("HTTP/1.1 417 Expectation Failed\r\n"), text)
            XCTAssertTrue(text.contains("\r\nConnection: close\r\n"), text)
            XCTAssertEqual(server.requests.map(\.path), ["/no"])
        }
    }

    func testAResponseBeforeTheBodyIsTheLastOneHoweverItIsSent() throws {
        for response in [
            ScriptedResponse.deferred(.just(ScriptedResponse(status: .unauthorized))),
            .raw("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n", then: .stay),
        ] {
            var configuration = ScriptedServer.Configuration()
            configuration.beforeBody = { _ in response }
            try withServer(configuration) { server, connect in
                let client = connect()
                client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc")
                let text = client.readToEnd().text
                XCTAssertTrue(text.hasPrefix("HTTP/1.1 401 Unauthorized\r\n"), text)
                XCTAssertEqual(text.ranges(of: "HTTP/1.1").count, 1, text)
                XCTAssertEqual(server.requestCount, 1)
            }
        }
    }

    func testThePortMustExist() {
        for port in [-1, 65_536, 70_000] {
            var configuration = ScriptedServer.Configuration()
            configuration.port = port
            XCTAssertThrowsError(try ScriptedServer(on: loop, configuration: configuration)) { error in
                XCTAssertTrue(error is LoopError, "\(error)")
            }
        }
    }

    func testLimitsOfAnySizeAreAccepted() throws {
        var configuration = ScriptedServer.Configuration()
        configuration.readPace = .limited(bytes: 1 << 32, pause: .zero)
        configuration.maximumBodySize = .max
        try withServer(configuration) { server, connect in
            server.route { _ in ScriptedResponse(body: "ok") }
            server.enqueue(connection: .ended(afterReading: -1, by: .close))
            XCTAssertEqual(connect().readToEnd().text, "")
            let client = connect()
            client.send(Self.get)
            XCTAssertTrue(client.read(upTo: "ok").hasSuffix("ok"))
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
