import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests responses that break the rules of HTTP/1.1, byte for byte.
final class MalformedResponsesTests: TransportOnScriptedServerTestCase {
    private func outcomes(_ responses: String...) throws -> [Outcome] {
        let transport = transport()
        return try responses.map {
            server.enqueue(.raw($0))
            return try outcome(transport, server.url + "/")
        }
    }

    func testAContinuationAsTheFirstLineDoesNotAffectOtherResponses() throws {
        let good = "HTTP/1.1 200 OK\r\nX: y\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"
        let folded = "HTTP/1.1 200 OK\r\n X-Folded: z\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"
        let outcomes = try outcomes(good, folded, good, folded, folded, good)
        XCTAssertEqual(outcomes.map { $0.error?.code }, [nil, .protocol, nil, .protocol, .protocol, nil])
    }

    /// It ended the program.
    func testAHeadOrTrailersOfTooManyFieldsAreTooLarge() throws {
        let fields = String(repeating: "a:\n", count: 70_000)
        let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n"
        for response in ["HTTP/1.1 200 OK\r\n\(fields)\r\n", "\(chunks)\(fields)\r\n"] {
            let outcome = try outcomes(response)[0]
            XCTAssertEqual(outcome.error?.code, .tooLarge, "\(outcome)")
        }
    }

    func testAnInvalidLengthIsAProtocolError() throws {
        for length in ["+2", "0x2", "2x", "2 3", "2, x", "-2", "99999999999999999999999"] {
            let outcome = try outcomes("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nhi")[0]
            XCTAssertEqual(outcome.error?.code, .protocol, length)
        }
    }

    func testMalformedChunksAreAProtocolErrorAndTruncatedOnesALostConnection() throws {
        for (chunks, code) in [
            ("zz\r\nhello\r\n0\r\n\r\n", HTTPClientError.Code.protocol), ("-5\r\nhello\r\n0\r\n\r\n", .protocol),
            ("fffffffffffffffff\r\nhello\r\n0\r\n\r\n", .protocol), ("5\r\nhelloX\r\n0\r\n\r\n", .protocol),
            ("5\r\nhel", .connectionLost), ("5\r\nhello\r\n0\r\n", .connectionLost),
        ] {
            let outcome = try outcomes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)")[0]
            XCTAssertEqual(outcome.error?.code, code, chunks)
        }
    }

    /// The texts of two responses. The second request is sent as soon as the first one has its response, on the same connection
    /// if possible.
    private func pair(_ transport: CurlTransport, _ url: String) throws -> [String] {
        let texts = Locked<[Int: String]>([:])
        let done = expectation(description: "both")
        done.expectedFulfillmentCount = 2
        let subscriptions = try (0..<2).map { number in
            transport.parts(try Request(number == 0 ? .get : .post, "\(url)/\(number)")).subscribe { event in
                switch event {
                case .next(.body(let bytes)):
                    texts.withLock { $0[number, default: ""] += String(decoding: bytes, as: UTF8.self) }
                case .next: break
                case .error(let error): XCTFail("\(error)")
                case .completed: done.fulfill()
                }
            }
        }
        wait(for: [done], timeout: 20)
        subscriptions.forEach { $0.dispose() }
        return (0..<2).map { number in texts.withLock { $0[number] ?? "" } }
    }

    private static let forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"

    private func response(_ body: String, _ fields: String = "") -> String {
        "HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    func testBytesRightAfterALongResponseAreNotUsedAsTheNextResponse() throws {
        for _ in 0..<5 {
            for size in [65_600, 100_000, 300_000, 1_000_003] {
                let body = String(repeating: "a", count: size)
                let transport = transport { $0.pool.maximumConnections = 1 }
                server.enqueue(.raw(response(body) + Self.forged, then: .stay))
                server.enqueue(ScriptedResponse(body: "genuine"))
                XCTAssertEqual(try pair(transport, server.url), [body, "genuine"], "\(size)")
                transport.shutdown()
            }
        }
    }

    func testBytesRightAfterALongResponseInsideTLSAreNotUsedAsTheNextResponse() throws {
        let body = String(repeating: "a", count: 300_000)
        let server = try SecureServer(
            (text: response(body) + Self.forged, ends: false), (text: response("genuine"), ends: false))
        defer { server.stop() }
        let transport = transport {
            $0.pool.maximumConnections = 1
            $0.tls.caFile = server.caFile
        }
        XCTAssertEqual(try pair(transport, server.url), [body, "genuine"])
    }

    func testUnrequestedBytesAreNotUsedAsTheNextResponse() throws {
        let rest = PublishSubject<[UInt8]>()
        let isOver = DispatchSemaphore(value: 0)
        let pieces = Observable.concat(.just(Array("ok".utf8)), rest.asObservable()).do(onDispose: { isOver.signal() })
        let transport = transport()
        server.enqueue(.streaming(pieces, headers: [.contentLength: "2"]))
        XCTAssertEqual(try outcome(transport, server.url + "/").text, "ok")
        rest.onNext(Array("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged".utf8))
        XCTAssertEqual(isOver.wait(timeout: .now() + 30), .success, "the connection is still there")
        server.enqueue(ScriptedResponse(body: "genuine"))
        XCTAssertEqual(try outcome(transport, server.url + "/", method: .post).text, "genuine")
    }
}
