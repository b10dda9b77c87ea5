import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests encoded bodies: what the client decodes, when a body is too large, and which bodies are broken.
final class TransportDecodingTests: TransportOnScriptedServerTestCase {
    private let body = Array("It was a bright cold day in April, and the clocks were striking thirteen.".utf8)

    private func response(_ coding: String, _ bytes: [UInt8]) -> ScriptedResponse {
        ScriptedResponse(headers: [.contentEncoding: coding], pieces: [bytes])
    }

    func testEveryOfferedCodingIsDecoded() throws {
        let all = [
            ("gzip", Encoded.gzip(body)), ("x-gzip", Encoded.gzip(body)), ("GZIP", Encoded.gzip(body)),
            ("deflate", Encoded.zlib(body)), ("deflate", Encoded.stored(body)), ("br", Encoded.brotli(body)),
            ("zstd", Encoded.zstd(body)), ("identity", body), ("gzip, identity", Encoded.gzip(body)),
            ("zstd, gzip", Encoded.gzip(Encoded.zstd(body))),
        ]
        for (coding, bytes) in all {
            for response in [
                response(coding, bytes), response(coding, bytes).chunked(), response(coding, bytes).untilClose(),
            ] {
                let outcome = try get(response)
                XCTAssertEqual(outcome.body, body, coding)
                XCTAssertNil(outcome.error, coding)
                XCTAssertNil(outcome.head?.headerFields[.contentEncoding])
            }
        }
        let acceptedCodings = Set(server.requests.map { $0.headers[.acceptEncoding] })
        XCTAssertEqual(acceptedCodings, ["gzip, deflate, br, zstd"])
    }

    func testAResponseWithoutABodyIsNotDecoded() throws {
        let head = try get(response("gzip", Encoded.gzip(body)), method: .head)
        XCTAssertTrue(head.isCompleted)
        XCTAssertEqual(head.head?.headerFields[.contentEncoding], "gzip")
        XCTAssertNotNil(head.head?.headerFields[.contentLength])
        for status in [HTTPResponse.Status.noContent, .notModified, .ok] {
            var empty = response("gzip", [])
            empty.status = status
            let outcome = try get(empty)
            XCTAssertTrue(outcome.isCompleted)
            XCTAssertEqual(outcome.body, [])
        }
        XCTAssertTrue(try get(response("rot13", [])).isCompleted)
    }

    func testACodingThatTheCallerRequestsIsNotDecoded() throws {
        let packed = Encoded.gzip(body)
        server.enqueue(response("gzip", packed))
        let outcome = try outcome(transport(), server.url, headers: [.acceptEncoding: "gzip"])
        XCTAssertEqual(outcome.body, packed)
        XCTAssertEqual(outcome.head?.headerFields[.contentEncoding], "gzip")
    }

    func testATruncatedCompressedBodyIsAnError() throws {
        let packed = Encoded.gzip(body)
        for count in [8, 11, 40, packed.count - 8, packed.count - 4, packed.count - 1] {
            let cut = Array(packed[..<count])
            XCTAssertEqual(try get(response("gzip", cut)).error?.code, .decoding, "\(count)")
            XCTAssertEqual(try get(response("gzip", cut).chunked()).error?.code, .decoding, "\(count)")
            let pieces = ScriptedResponse(headers: [.contentEncoding: "gzip"], pieces: cut.map { [$0] }).chunked()
            XCTAssertEqual(try get(pieces).error?.code, .decoding, "\(count)")
            XCTAssertEqual(try get(response("gzip", cut).untilClose()).error?.code, .connectionLost, "\(count)")
            XCTAssertEqual(
                try get(response("gzip", packed).truncated(after: count)).error?.code, .connectionLost, "\(count)")
        }
        let whole = ScriptedResponse(headers: [.contentEncoding: "gzip"], pieces: packed.map { [$0] }).chunked()
        XCTAssertEqual(try get(whole).body, body)
        // libcurl would decode only the first of several members.
        XCTAssertEqual(try get(response("gzip", packed + packed)).error?.code, .decoding)
    }

    func testCompressedDataThatEndsEarlyIsAnError() throws {
        let cases = [
            ("deflate", Encoded.zlib(body)), ("deflate", Encoded.stored(body)), ("br", Encoded.brotli(body)),
            ("zstd", Encoded.zstd(body)), ("BR", Encoded.brotli(body)),
        ]
        for (coding, packed) in cases {
            let whole = try get(response(coding, packed).untilClose())
            XCTAssertNil(whole.error, coding)
            XCTAssertEqual(Array(whole.body.prefix(body.count)), body, coding)
            let pieces = ScriptedResponse(headers: [.contentEncoding: coding], pieces: packed.map { [$0] })
            XCTAssertNil(try get(pieces.untilClose()).error, coding)
            for count in [3, 20, packed.count - 4, packed.count - 1] {
                let cut = response(coding, Array(packed[..<count]))
                XCTAssertEqual(try get(cut.untilClose()).error?.code, .connectionLost, "\(coding) \(count)")
                XCTAssertEqual(try get(cut).error?.code, .decoding, "\(coding) \(count)")
                XCTAssertEqual(try get(cut.chunked()).error?.code, .decoding, "\(coding) \(count)")
            }
        }
        XCTAssertNil(try get(response("br", []).untilClose()).error)
        XCTAssertNil(try get(response("br", [6])).error)
    }

    func testABodyThatDecodesBeyondTheRatioIsTooLarge() throws {
        let bombs = [
            response("zstd", Encoded.zstdBomb(blocks: 8192)), response("gzip", Encoded.gzipBomb(count: 1 << 20)),
            response("zstd, gzip", Encoded.gzip(Encoded.zstdBomb(blocks: 8192))),
        ]
        for bomb in bombs {
            for bomb in [bomb, bomb.chunked(), bomb.untilClose()] {
                let outcome = try get(bomb)
                XCTAssertEqual(outcome.error?.code, .tooLarge)
                XCTAssertLessThanOrEqual(outcome.body.count, 64 << 20)
                XCTAssertTrue(outcome.error?.message.contains("200 times") ?? false)
            }
        }
    }

    /// libcurl hands out the bytes that it has kept when the caller resumes, and reports only there if they are refused.
    func testABodyThatIsRefusedAfterAPauseFailsAtOnce() throws {
        let bomb = response("gzip", Encoded.gzipBomb(count: 1 << 13))
        server.enqueue(bomb.pausing(after: 1 << 12, until: Barrier()))
        let transport = transport()
        XCTAssertEqual(try failureOfPaused(transport)?.code, .tooLarge)
        server.enqueue(response("gzip", Encoded.gzip(body)))
        XCTAssertEqual(try outcome(transport, server.url + "/").body, body, "the next one succeeds")
    }

    func testAnUnrequestedTransferCodingHasTheSameLimit() throws {
        let bomb = Encoded.gzipBomb(count: 1 << 18)
        let size = String(bomb.count, radix: 16)
        let head = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n\(size)\r\n".utf8)
        let outcome = try get(.raw(head + bomb + Array("\r\n0\r\n\r\n".utf8)))
        // A newer libcurl refuses the coding before it decodes anything.
        XCTAssertTrue([.tooLarge, .protocol].contains(outcome.error?.code), "\(String(describing: outcome.error))")
    }

    func testTheDecodingRatioCanBeDisabled() throws {
        let packed = Encoded.zstdBomb(blocks: 512)
        XCTAssertEqual(try get(response("zstd", packed)).error?.code, .tooLarge)
        let outcome = try get(response("zstd", packed)) { $0.maximumDecodingRatio = nil }
        XCTAssertEqual(outcome.body.count, 512 * 128 * 1024)
        XCTAssertNil(outcome.error)
        // A small body is allowed whatever its ratio.
        XCTAssertEqual(try get(response("zstd", Encoded.zstdBomb(blocks: 32))).body.count, 4 << 20)
    }

    func testTheBodyLimitAppliesToEveryKindOfFraming() throws {
        let body = [UInt8](repeating: 7, count: 100_000)
        let limit: (inout TransferOptions) -> Void = { $0.maximumBodySize = 99_999 }
        for response in [
            ScriptedResponse(pieces: [body]), ScriptedResponse(pieces: [body]).chunked(),
            response("gzip", Encoded.gzip(body)),
        ] {
            let outcome = try get(response, options: limit)
            XCTAssertEqual(outcome.error?.code, .tooLarge)
            XCTAssertLessThan(outcome.body.count, 100_000)
            XCTAssertEqual(try get(response) { $0.maximumBodySize = 100_000 }.body, body)
        }
        // The head already gives the length.
        XCTAssertEqual(try get(ScriptedResponse(pieces: [body]), options: limit).body, [])
        XCTAssertTrue(try get(ScriptedResponse(pieces: [body]), method: .head, options: limit).isCompleted)
    }

    func testADecompressionBombInAPausedTransferUsesBoundedMemory() throws {
        server.enqueue(response("zstd", Encoded.zstdBomb(blocks: 8192)))
        XCTAssertEqual(try failureOfPaused(transport())?.code, .tooLarge)
    }

    /// The failure of a response that is paused after each piece of its body, and resumed in the loop's next turn.
    private func failureOfPaused(_ transport: CurlTransport) throws -> HTTPClientError? {
        let request = try Request(.get, server.url)
        let ended = expectation(description: "ended")
        let error = Locked<HTTPClientError?>(nil)
        let subscription = SerialDisposable()
        loop.execute { [loop] in
            subscription.disposable = transport.parts(request).subscribe { event in
                switch event {
                case .next(.body):
                    subscription.pause()
                    loop!.execute { subscription.resume() }
                case .error(let failure):
                    error.withLock { $0 = failure as? HTTPClientError }
                    ended.fulfill()
                default: break
                }
            }
        }
        wait(for: [ended], timeout: 20)
        subscription.dispose()
        return error.withLock { $0 }
    }
}
