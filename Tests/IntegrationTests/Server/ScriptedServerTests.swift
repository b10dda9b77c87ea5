import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests each byte that the server sends.
final class ScriptedServerTests: ScriptedServerTestCase {
    func testAResponseIsSentExactlyAndTheConnectionIsKept() throws {
        try withServer { server, connect in
            server.enqueue(
                ScriptedResponse(status: .created, headers: [.eTag: "x"], body: "hello"),
                ScriptedResponse(body: "ab").chunked(["c"]).withTrailers([.eTag: "y"]).preceded(
                    by: .init(code: 103, reasonPhrase: "Early Hints")),
                ScriptedResponse(status: .noContent), ScriptedResponse(body: "end").closing())
            let client = connect()
            client.send(Self.get)
            XCTAssertEqual(
                client.read(upTo: "hello"), "HTTP/1.1 201 Created\r\nETag: x\r\nContent-Length: 5\r\n\r\nhello")
            client.send(Self.get)
            XCTAssertEqual(
                client.read(upTo: "ETag: y\r\n\r\n"),
                "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "2\r\nab\r\n1\r\nc\r\n0\r\nETag: y\r\n\r\n")
            client.send(Self.get)
            XCTAssertEqual(client.read(upTo: "\r\n\r\n"), "HTTP/1.1 204 No Content\r\n\r\n")
            client.send(Self.get)
            let (text, error) = client.readToEnd()
            XCTAssertEqual(text, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\nend")
            XCTAssertEqual(error, 0)
            XCTAssertEqual(server.requests.map(\.connection), [1, 1, 1, 1])
        }
    }

    func testPipelinedRequestsGetResponsesInOrderEvenIfTheFirstIsHeld() throws {
        try withServer { server, connect in
            let barrier = Barrier()
            server.route(.get, "/1") { _ in ScriptedResponse(body: "one").delayed(until: barrier) }
            server.route { request in ScriptedResponse(body: request.path) }
            let client = connect()
            client.send(
                "GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\nGET /3 HTTP/1.1\r\nHost: h\r\n\r\n"
            )
            let other = connect()
            other.send(Self.get)
            XCTAssertTrue(other.read(upTo: "\r\n\r\n/").hasSuffix("/"))
            barrier.release()
            let text = client.read(upTo: "/3")
            XCTAssertEqual(text.split(separator: "\r\n\r\n").count, 4)
            XCTAssertEqual(server.requests.filter { $0.connection == 1 }.map(\.path), ["/1", "/2", "/3"])
        }
    }

    func testThousandsOfPipelinedRequestsNeedNoStack() throws {
        try withServer { server, connect in
            server.route { request in ScriptedResponse(body: "#\(request.path)#") }
            let client = connect()
            for first in stride(from: 0, to: 5000, by: 500) {
                client.send((first..<first + 500).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
                XCTAssertTrue(client.read(upTo: "#/\(first + 499)#").contains("#/\(first)#"))
            }
            XCTAssertEqual(server.requestCount, 5000)
        }
    }

    func testAnHTTP10ClientReceivesABodyWithoutChunks() throws {
        try withServer { server, connect in
            server.route { _ in ScriptedResponse().chunked(["ab", "c"]) }
            let client = connect()
            client.send("GET / HTTP/1.0\r\n\r\n")
            XCTAssertEqual(client.readToEnd().text, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc")
        }
    }

    func testAResponseWithoutABodySkipsAnEndlessOne() throws {
        try withServer { server, connect in
            var empty = ScriptedResponse.repeating([1], times: .max)
            empty.status = .noContent
            server.enqueue(.repeating([1], times: .max), empty, ScriptedResponse(body: "abc"))
            let client = connect()
            client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n" + Self.get + Self.get)
            XCTAssertTrue(client.read(upTo: "abc").contains("204 No Content\r\n\r\nHTTP/1.1 200 OK"))
        }
    }

    func testARequestOfAProxyFindsItsRoute() throws {
        try withServer { server, connect in
            server.route(.get, "/a") { _ in ScriptedResponse(body: "found") }
            let client = connect()
            client.send("GET http://x.example/a?b=/c HTTP/1.1\r\nHost: x.example\r\n\r\n")
            XCTAssertTrue(client.read(upTo: "found").hasSuffix("found"))
        }
    }

    func testAHEADRequestReceivesNoBodyAndTheConnectionIsKept() throws {
        try withServer { server, connect in
            server.route { _ in ScriptedResponse(body: "abc") }
            let client = connect()
            client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n" + Self.get)
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
            XCTAssertEqual(client.read(upTo: "abc"), head + head + "abc")
        }
    }
}
