import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests how the transport handles well-formed and malformed responses.
final class TransportResponseTests: TransportOnScriptedServerTestCase {
    func testRepeatedHeadersInterimResponsesAndTrailersAreSeparate() throws {
        let link = HTTPField.Name("Link")!
        let check = HTTPField.Name("X-Check")!
        var response = ScriptedResponse(body: "hello").preceded(by: .init(code: 103), headers: [link: "</a>"])
        response.headers.append(HTTPField(name: .setCookie, value: "a=1"))
        response.headers.append(HTTPField(name: .setCookie, value: "b=2"))
        let outcome = try get(response.chunked().withTrailers([check: "ok"]))
        XCTAssertNil(outcome.error)
        XCTAssertEqual(outcome.informational.map(\.status.code), [103])
        XCTAssertEqual(outcome.informational.first?.headerFields[link], "</a>")
        XCTAssertEqual(outcome.head?.headerFields[values: .setCookie], ["a=1", "b=2"])
        XCTAssertNil(outcome.head?.headerFields[check])
        XCTAssertEqual(outcome.trailers?[check], "ok")
        XCTAssertEqual(outcome.text, "hello")
    }

    func testAllTrailersOfALongLivedResponseInOnePieceAreKept() throws {
        let chunks = "2\r\nok\r\n0\r\nX-First: a\r\nX-Second: b\r\nX-Third: c\r\n\r\n"
        server.enqueue(.raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks))
        let outcome = try outcome(transport(), server.url + "/") { $0.isLongLived = true }
        XCTAssertNil(outcome.error)
        XCTAssertEqual(outcome.trailers?.map(\.name.rawName), ["X-First", "X-Second", "X-Third"])
    }

    func testEveryInterimResponseIsDeliveredAndASwitchOfProtocolsIsNot() throws {
        let link = HTTPField.Name("Link")!
        let response = ScriptedResponse(body: "hello").preceded(by: .init(code: 100))
            .preceded(by: .init(code: 103), headers: [link: "</a>"]).preceded(by: .init(code: 102))
            .preceded(by: .init(code: 103), headers: [link: "</b>"])
        let outcome = try get(response)
        XCTAssertEqual(outcome.informational.map(\.status.code), [100, 103, 102, 103])
        XCTAssertEqual(outcome.informational.compactMap { $0.headerFields[link] }, ["</a>", "</b>"])
        XCTAssertNil(outcome.head?.headerFields[link])
        XCTAssertEqual(outcome.text, "hello")
        let change = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nbytes"
        XCTAssertEqual(try get(.raw(change)).error?.code, .protocol)
    }

    func testInterimHeadsAndTrailersCountTowardsTheHeadLimit() throws {
        let interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        XCTAssertEqual(try get(.raw(String(repeating: interim, count: 10_000))).error?.code, .tooLarge)
        let lines = String(repeating: "X-Check: \(String(repeating: "v", count: 1000))\r\n", count: 300)
        let trailed = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\(lines)\r\n"
        XCTAssertEqual(try get(.raw(trailed)).error?.code, .tooLarge)
        let few = try get(.raw(interim + interim + trailed)) { $0.maximumHeadSize = 1 << 20 }
        XCTAssertEqual(few.trailers?.count, 300)
        XCTAssertEqual(few.informational.count, 2)
    }

    func testHEADHasNoBodyAndCustomMethodsAreSent() throws {
        let head = try get(ScriptedResponse(body: "hello"), method: .head)
        XCTAssertTrue(head.isCompleted)
        XCTAssertEqual(head.head?.headerFields[.contentLength], "5")
        XCTAssertEqual(head.body, [])
        _ = try get(ScriptedResponse(body: "x"), method: HTTPRequest.Method("PURGE")!)
        XCTAssertEqual(server.requests.map(\.method.rawValue), ["HEAD", "PURGE"])
    }

    func testTruncatedOrResetResponsesAreLost() throws {
        let body = ScriptedResponse(body: "0123456789")
        XCTAssertEqual(try get(body.truncated(after: 4)).error?.code, .connectionLost)
        XCTAssertEqual(try get(body.reset(after: 4)).error?.code, .connectionLost)
        XCTAssertEqual(try get(body.chunked().truncated(after: 4)).error?.code, .connectionLost)
        XCTAssertEqual(try get(.close).error?.code, .connectionLost)
        XCTAssertEqual(try get(.reset).error?.code, .connectionLost)
    }

    func testAResponseThatIsNotHTTPIsAProtocolError() throws {
        XCTAssertEqual(try get(.raw("hello there\r\n\r\n")).error?.code, .protocol)
        XCTAssertEqual(try get(.raw("HTTP/1.1 twohundred OK\r\n\r\n")).error?.code, .protocol)
        let lengths = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc"
        XCTAssertEqual(try get(.raw(lengths)).error?.code, .protocol)
    }

    func testAHeadThatIsTooLargeIsRefused() throws {
        let lines = (0..<40).map { "X-\($0): \(String(repeating: "v", count: 8000))\r\n" }.joined()
        XCTAssertEqual(try get(.raw("HTTP/1.1 200 OK\r\n\(lines)\r\n")).error?.code, .tooLarge)
        let line = "X: \(String(repeating: "v", count: 300_000))\r\n"
        XCTAssertEqual(try get(.raw("HTTP/1.1 200 OK\r\n\(line)\r\n")).error?.code, .tooLarge)
    }

    func testABrokenContentCodingIsADecodingError() throws {
        var broken = ScriptedResponse(body: "this is no gzip")
        broken.headers[.contentEncoding] = "gzip"
        XCTAssertEqual(try get(broken).error?.code, .decoding)
        broken.headers[.contentEncoding] = "rot13"
        XCTAssertEqual(try get(broken).error?.code, .decoding)
    }

    func testChunksTakePrecedenceOverALength() throws {
        let both = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
        let outcome = try get(.raw(both))
        XCTAssertNil(outcome.error)
        XCTAssertEqual(outcome.text, "ok")
    }
}
