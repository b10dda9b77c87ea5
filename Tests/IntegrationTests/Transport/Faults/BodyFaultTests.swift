import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests wrong lengths, malformed chunks, and bytes that a client could take for a second response.
final class BodyFaultTests: FaultTestCase {
    private let ok = "HTTP/1.1 200 OK\r\n"

    private var chunked: String { ok + "Transfer-Encoding: chunked\r\n\r\n" }

    // MARK: Lengths

    func testABodyLongerThanItsLengthIsCutAndItsConnectionIsClosed() throws {
        let outcome = try hit(by: .raw(ok + "Content-Length: 2\r\n\r\nhi and more", then: .silence), nil)
        XCTAssertEqual(outcome.text, "hi")
    }

    func testACompressedBodyLongerThanItsLengthIsCutToo() throws {
        let text = Array("hello".utf8)
        for (coding, body) in [
            ("gzip", Encoded.gzip(text)), ("deflate", Encoded.zlib(text)), ("br", Encoded.brotli(text)),
            ("zstd", Encoded.zstd(text)),
        ] {
            let head = ok + "Content-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n"
            let outcome = try hit(by: .raw(Array(head.utf8) + body + [13, 10], then: .stay), nil, coding)
            XCTAssertEqual(outcome.text, "hello", coding)
        }
    }

    func testAnUnrequestedSecondResponseIsNotUsedForTheNextRequest() throws {
        let outcome = try hit(
            by: .raw(ok + "Content-Length: 2\r\n\r\nhi\(ok)Content-Length: 6\r\n\r\nforged", then: .stay), nil)
        XCTAssertEqual(outcome.text, "hi")
    }

    func testInvalidOrDifferentLengthsAreAProtocolError() throws {
        for length in [
            "+2", "-2", "0x2", "2x", "2 3", "2,3", "2, x", "", " ", "99999999999999999999999", "9223372036854775808",
            "2.0", "١",
        ] {
            try hit(by: .raw(ok + "Content-Length: \(length)\r\n\r\nhi"), .protocol, length)
        }
        for lengths in [("2", "3"), ("2", "x"), ("2", "+2")] {
            try hit(
                by: .raw(ok + "Content-Length: \(lengths.0)\r\nContent-Length: \(lengths.1)\r\n\r\nhi"), .protocol,
                "\(lengths)")
        }
    }

    func testARepeatedLengthOrOneWithBlanksIsAccepted() throws {
        for lines in [
            "Content-Length: 2\r\nContent-Length: 2", "Content-Length: 2, 2", "Content-Length: \t 2 \t",
            "Content-Length:2",
        ] {
            XCTAssertEqual(try hit(by: .raw(ok + lines + "\r\n\r\nhi", then: .close), nil, lines).text, "hi", lines)
        }
    }

    func testABodyThatIsNotAllowedIsIgnored() throws {
        for head in [
            "HTTP/1.1 204 No Content\r\n", "HTTP/1.1 304 Not Modified\r\n",
            "HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n",
        ] {
            let outcome = try hit(by: .raw(head + "\r\nhi", then: .stay), nil, head, isReused: nil)
            XCTAssertEqual(outcome.body, [], head)
        }
        let response = ScriptedResponse.raw(ok + "Content-Length: 2\r\n\r\nhi", then: .stay)
        XCTAssertEqual(try hit(by: response, nil, method: .head, isReused: nil).body, [])
    }

    func testALateBodyThatIsNotAllowedEndsTheConnection() throws {
        let throttle = Throttle()
        let head = "HTTP/1.1 204 No Content\r\n\r\n"
        throttle.allow(head.utf8.count)
        let transport = transport()
        server.enqueue(.raw(head + ok + "Content-Length: 6\r\n\r\nforged", then: .stay).throttled(by: throttle))
        XCTAssertNil(try outcome(transport, server.url + "/").error)
        throttle.open()
        waitUntil("the connection has ended") { server.openConnections == 0 }
        try assertTheNextIsWell(transport)
    }

    // MARK: Smuggling

    func testChunksTakePrecedenceOverALength() throws {
        for head in [
            "Content-Length: 3\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 99",
            "Transfer-Encoding: CHUNKED\r\nContent-Length: 0", "transfer-encoding:chunked\r\nContent-Length: 7",
        ] {
            let outcome = try hit(by: .raw(ok + head + "\r\n\r\n2\r\nok\r\n0\r\n\r\n"), nil, head)
            XCTAssertEqual(outcome.text, "ok", head)
        }
    }

    func testAnUnknownOrObscuredTransferCodingDoesNotUseTheLength() throws {
        for coding in [
            "xchunked", "chunked, identity", "identity, chunked", "gzip, chunked, chunked", "chunked\u{b}",
            "\"chunked\"",
        ] {
            let response =
                ok
                + "Transfer-Encoding: \(coding)\r\nContent-Length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"
            let transport = transport()
            server.enqueue(.raw(response, then: .close))
            _ = try outcome(transport, server.url + "/")
            try assertTheNextIsWell(transport, coding)
            transport.shutdown()
        }
    }

    func testAnUnknownTransferCodingIsAProtocolError() throws {
        for coding in ["foo", "foo, chunked", "chunked, foo", "xchunked", "gzip, foo"] {
            let response = ok + "Transfer-Encoding: \(coding)\r\n\r\n2\r\nok\r\n0\r\n\r\n"
            XCTAssertEqual(try hit(by: .raw(response, then: .close), .protocol, coding).text, "", coding)
        }
    }

    func testAnIdentityTransferCodingUsesTheLength() throws {
        for coding in ["identity", "", "Identity, identity", ","] {
            for rest in ["hello", "helloHTTP/1.1 200 OK\r\n\r\n"] {
                let response = ok + "Transfer-Encoding: \(coding)\r\nContent-Length: 5\r\n\r\n" + rest
                XCTAssertEqual(try hit(by: .raw(response, then: .stay), nil, coding).text, "hello", coding)
            }
            let empty = ok + "Transfer-Encoding: \(coding)\r\nContent-Length: 0\r\n\r\n"
            XCTAssertEqual(try hit(by: .raw(empty, then: .stay), nil, coding).text, "")
            let cut = ok + "Transfer-Encoding: \(coding)\r\nContent-Length: 9\r\n\r\nhello"
            XCTAssertEqual(try hit(by: .raw(cut, then: .close), .connectionLost, coding).text, "hello")
            let large = ok + "Transfer-Encoding: \(coding)\r\nContent-Length: 300000\r\n\r\n"
            let text = String(repeating: "x", count: 300_000)
            XCTAssertEqual(try hit(by: .raw(large + text, then: .stay), nil, coding).text, text)
            let open = ok + "Transfer-Encoding: \(coding)\r\n\r\nhello"
            XCTAssertEqual(try hit(by: .raw(open, then: .close), nil, coding).text, "hello")
        }
    }

    func testAMalformedFramingFieldIsAProtocolError() throws {
        for line in [
            "Content-Length : 2", "Content-Length\t: 2", "content-length  : 2", "Content-Length:\r\n 2",
            "Transfer-Encoding : chunked", "Transfer-Encoding:\r\n\tchunked", "Content-Encoding : gzip",
            "Content-Encoding:\r\n gzip", "Content-Length: 2\r\n 0",
        ] {
            let outcome = try hit(by: .raw(ok + line + "\r\n\r\nok", then: .stay), .protocol, line)
            XCTAssertNil(outcome.head, line)
        }
    }

    // MARK: Chunks

    func testBrokenChunksAreAProtocolError() throws {
        for chunks in [
            "zz\r\nhello\r\n0\r\n\r\n", "-5\r\nhello\r\n0\r\n\r\n", "\r\nhello\r\n0\r\n\r\n",
            "5\r\nhelloX\r\n0\r\n\r\n",
            "fffffffffffffffff\r\nhello\r\n0\r\n\r\n", "8000000000000000\r\nhello\r\n0\r\n\r\n",
            "ffffffffffffffff\r\nhello\r\n0\r\n\r\n", "+5\r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n",
        ] {
            try hit(by: .raw(chunked + chunks), .protocol, chunks)
        }
    }

    func testTheErrorOfMalformedChunksNamesTheChunks() throws {
        for chunks in ["0x5\r\nhello\r\n0\r\n\r\n", "2\r\nok\r\n0\r\nno trailer\r\n\r\n"] {
            let error = try hit(by: .raw(chunked + chunks, then: .stay), .protocol, chunks).error
            XCTAssertEqual(error?.message.contains("chunks"), true, chunks)
        }
    }

    func testChunkExtensionsAreIgnored() throws {
        for chunks in [
            "2;a=b\r\nok\r\n0;c\r\n\r\n", "2 ; a=\"b;c\"\r\nok\r\n0\r\n\r\n", "00000002\r\nok\r\n000\r\n\r\n",
        ] {
            XCTAssertEqual(
                try hit(by: .raw(chunked + chunks, then: .stay), nil, chunks, isReused: true).text, "ok", chunks)
        }
    }

    func testAnEndlessChunkExtensionUsesNoMemoryAndEndsAtTheTimeLimit() throws {
        let memory = SoakMemory.resident
        try hit(by: .raw(chunked + "2;", repeating: String(repeating: "x", count: 4096), times: .max), .timeout) {
            $0.totalTimeout = .milliseconds(600)
        }
        XCTAssertLessThan(SoakMemory.resident, memory + 32 << 20 + Sanitizer.quarantine)
    }

    func testAFloodOfTrailersEndsAtTheLimitOfTheHead() throws {
        try hit(by: .raw(chunked + "2\r\nok\r\n0\r\n", repeating: "X-Flood: 0123456789\r\n", times: .max), .tooLarge) {
            $0.maximumHeadSize = 10_000
        }
    }

    func testAnEndlessTrailerIsRefused() throws {
        server.enqueue(
            .raw(
                chunked + "2\r\nok\r\n0\r\nX: ", repeating: String(repeating: "0123456789", count: 100), times: .max))
        let outcome = try outcome(transport(), server.url + "/")
        // libcurl before 8.6 has no error code for this.
        XCTAssertTrue([.tooLarge, .protocol].contains(outcome.error?.code), "\(String(describing: outcome.error))")
    }

    // MARK: Bombs and bodies without an end

    private func client(_ transport: CurlTransport, limit: Int) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.maximumBodySize = limit
        configuration.timeout = .seconds(20)
        return HTTPClient(transport: transport, scheduler: LoopScheduler(loop), configuration: configuration)
    }

    private func failure(_ response: ScriptedResponse, limit: Int) throws -> HTTPClientError? {
        server.enqueue(response)
        let transport = transport()
        let error = Locked<(any Error)?>(nil)
        let done = expectation(description: "done")
        let subscription = client(transport, limit: limit).get(server.url + "/bomb").subscribe { result in
            if case .failure(let failure) = result { error.withLock { $0 = failure } }
            done.fulfill()
        }
        wait(for: [done], timeout: 30)
        subscription.dispose()
        try assertTheNextIsWell(transport)
        return error.withLock { $0 } as? HTTPClientError
    }

    func testADecompressionBombIsCancelledAtTheBodyLimit() throws {
        let before = server.sentBytes
        let memory = SoakMemory.resident
        XCTAssertEqual(try failure(.decompressionBomb(size: 1 << 30), limit: 1 << 20)?.code, .tooLarge)
        XCTAssertLessThan(server.sentBytes - before, 7 << 20)
        XCTAssertLessThan(SoakMemory.resident, memory + 48 << 20 + Sanitizer.quarantine)
    }

    func testADecompressionBombIsDecodedWhereTheLimitAllowsIt() throws {
        server.enqueue(.decompressionBomb(size: 100_000))
        let outcome = try outcome(transport(), server.url + "/") { $0.maximumDecodingRatio = nil }
        XCTAssertNil(outcome.error)
        XCTAssertGreaterThan(outcome.body.count, 95_000)
        XCTAssertTrue(outcome.body.allSatisfy { $0 == 0 })
    }

    func testAnEndlessBodyIsCancelledAtTheLimit() throws {
        let before = server.sentBytes
        let memory = SoakMemory.resident
        let endless = ScriptedResponse.repeating([UInt8](repeating: 1, count: 10_000), times: .max)
        XCTAssertEqual(try failure(endless, limit: 1 << 20)?.code, .tooLarge)
        XCTAssertLessThan(server.sentBytes - before, 24 << 20)
        XCTAssertLessThan(SoakMemory.resident, memory + 48 << 20 + Sanitizer.quarantine)
    }
}
