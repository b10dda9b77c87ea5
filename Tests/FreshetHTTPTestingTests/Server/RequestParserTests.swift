import HTTPTypes
import XCTest

@testable import FreshetHTTPTesting

final class RequestParserTests: XCTestCase {
    func testARequestIsParsedTheSameInAnyPieces() throws {
        let text =
            "POST /a?b HTTP/1.1\r\nHost: h\r\nX-A:  one \r\nX-A: two\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "3;ext=1\r\nabc\r\n0a\r\n0123456789\r\n0\r\nX-T: t\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"
        let expected = [
            "POST /a?b Host=h X-A=one X-A=two Transfer-Encoding=chunked", "abc0123456789", "end X-T=t", "GET / Host=h",
            "", "end ",
        ]
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            XCTAssertEqual(try parsed([bytes[..<cut], bytes[cut...]]), expected, "cut at \(cut)")
        }
        XCTAssertEqual(try parsed(bytes.indices.map { bytes[$0...$0] }), expected)
    }

    func testABodyEndsAtItsLengthAndTheNextRequestFollows() throws {
        let text = "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody\r\nGET /2 HTTP/1.0\r\n\r\n"
        XCTAssertEqual(
            try parsed([Array(text.utf8)[...]]),
            ["PUT / Host=h Content-Length=4", "body", "end ", "GET /2 ", "", "end "])
    }

    func testABodyCanHaveTheLargestLength() throws {
        var parser = RequestParser(maximumHeadSize: 100, maximumBodySize: .max)
        parser.append(Array("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: \(Int.max)\r\n\r\nbody".utf8))
        _ = try parser.next()
        guard case .body(let bytes) = try parser.next() else { return XCTFail("no body") }
        XCTAssertEqual(bytes.count, 4)
        XCTAssertNil(try parser.next())
    }

    func testTheRawHeadIsUnchanged() throws {
        var parser = RequestParser(maximumHeadSize: 100, maximumBodySize: 0)
        let text = "GET / HTTP/1.1\r\nhOSt:\t h\r\n\r\n"
        parser.append(text.utf8)
        guard case .head(let head) = try parser.next() else { return XCTFail() }
        XCTAssertEqual(String(decoding: head.raw, as: UTF8.self), text)
        XCTAssertTrue(head.keepsAlive)
    }

    func testAMalformedRequestIsRefused() {
        let refused: [(String, Int)] = [
            ("GET /\r\n\r\n", 400),
            ("GET / HTTP/2.0\r\nHost: h\r\n\r\n", 505),
            ("G T / HTTP/1.1\r\nHost: h\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: h\r\nA: b\u{0}c\r\n\r\n", 400),
            ("GET / HTTP/1.1\nHost: h\n\n\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
            ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc", 400),
            ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n\r\n", 413),
            ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n", 413),
            ("GET / HTTP/1.1\r\nHost: h\r\nA: \(String(repeating: "a", count: 600))", 431),
            ("GET / HTTP/1.1\r\nHost: h\r\nA: \(String(repeating: "a", count: 600))\r\n\r\n", 431),
            (
                "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;\(String(repeating: "a", count: 2000))",
                400
            ),
        ]
        for (text, status) in refused {
            XCTAssertThrowsError(try parsed([Array(text.utf8)[...]]), text) { error in
                XCTAssertEqual((error as? RequestRefusal)?.status.code, status, "\(error) \(text)")
            }
        }
    }

    /// The events of the parser as text: head, body and end of each request.
    private func parsed(_ pieces: [ArraySlice<UInt8>]) throws -> [String] {
        var parser = RequestParser(maximumHeadSize: 500, maximumBodySize: 1000)
        var lines: [String] = []
        for piece in pieces {
            parser.append(piece)
            while let event = try parser.next() {
                switch event {
                case .head(let head):
                    lines += ["\(head.method) \(head.target) \(fields(head.headers))", ""]
                case .body(let bytes):
                    lines[lines.count - 1] += String(decoding: bytes, as: UTF8.self)
                case .end(let trailers):
                    lines.append("end \(fields(trailers))")
                }
            }
        }
        XCTAssertEqual(parser.waiting, 0)
        return lines
    }

    private func fields(_ fields: HTTPFields) -> String {
        fields.map { "\($0.name.rawName)=\($0.value)" }.joined(separator: " ")
    }
}
