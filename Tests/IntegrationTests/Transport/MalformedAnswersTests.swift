import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Answers that break the rules of HTTP/1.1, byte for byte.
final class MalformedAnswersTests: TransportTestCase {
    private var server: ScriptedServer!

    override func setUpWithError() throws {
        try super.setUpWithError()
        server = try ScriptedServer(on: loop)
    }

    override func tearDown() {
        server.close()
        server = nil
        super.tearDown()
    }

    private func outcomes(_ answers: String...) throws -> [Outcome] {
        let transport = transport()
        return try answers.map {
            server.enqueue(.raw($0))
            return try outcome(transport, server.url + "/")
        }
    }

    func testAContinuationAsTheFirstLineOfALaterAnswerTouchesNoneBefore() throws {
        let good = "HTTP/1.1 200 OK\r\nX: y\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"
        let folded = "HTTP/1.1 200 OK\r\n X-Folded: z\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"
        let outcomes = try outcomes(good, folded, good, folded, folded, good)
        XCTAssertEqual(outcomes.map { $0.error?.code }, [nil, .protocol, nil, .protocol, .protocol, nil])
    }

    func testALengthThatIsNoNumberIsAProtocolError() throws {
        for length in ["+2", "0x2", "2x", "2 3", "2, x", "-2", "99999999999999999999999"] {
            let outcome = try outcomes("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nhi")[0]
            XCTAssertEqual(outcome.error?.code, .protocol, length)
        }
    }

    func testBrokenChunksAreAProtocolErrorAndCutOnesALostConnection() throws {
        for (chunks, code) in [
            ("zz\r\nhello\r\n0\r\n\r\n", HTTPClientError.Code.protocol), ("-5\r\nhello\r\n0\r\n\r\n", .protocol),
            ("fffffffffffffffff\r\nhello\r\n0\r\n\r\n", .protocol), ("5\r\nhelloX\r\n0\r\n\r\n", .protocol),
            ("5\r\nhel", .connectionLost), ("5\r\nhello\r\n0\r\n", .connectionLost),
        ] {
            let outcome = try outcomes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)")[0]
            XCTAssertEqual(outcome.error?.code, code, chunks)
        }
    }

    func testWhatNobodyAskedForIsNoAnswerToTheNextRequest() throws {
        let rest = PublishSubject<[UInt8]>()
        let isOver = DispatchSemaphore(value: 0)
        let pieces = Observable.concat(.just(Array("ok".utf8)), rest.asObservable()).do(onDispose: { isOver.signal() })
        let transport = transport()
        server.enqueue(.streaming(pieces, headers: [.contentLength: "2"]))
        XCTAssertEqual(try outcome(transport, server.url + "/").text, "ok")
        rest.onNext(Array("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged".utf8))
        XCTAssertEqual(isOver.wait(timeout: .now() + 5), .success, "the connection is still there")
        server.enqueue(ScriptedAnswer(body: "genuine"))
        XCTAssertEqual(try outcome(transport, server.url + "/", method: .post).text, "genuine")
    }
}
