import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests heads that are malformed, that never end, or that contradict themselves.
final class HeadFaultTests: FaultTestCase {
    private let ok = "HTTP/1.1 200 OK\r\n"

    func testALineThatBeginsWithACarriageReturnDoesNotEndTheHead() throws {
        for head in [
            "HTTP/1.1 200 OK\n\rContent-Length: 2\n\r\n\rok",
            "HTTP/1.1 200 OK\r\n\rX: y\r\nContent-Length: 2\r\n\r\nok",
        ] {
            let outcome = try hit(by: .raw(head, then: .close), .protocol, head)
            XCTAssertEqual(outcome.text, "")
        }
    }

    func testAnInvalidStatusLineIsAProtocolError() throws {
        for line in [
            "\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}", "hello", "<html>", "SSH-2.0-OpenSSH_9.2", "HTTP/1.1", "HTTP/1.1 ",
            "HTTP/1.1 abc OK",
            "HTTP/1.1 20 OK", "HTTP/1.1 099 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 -200 OK", "HTTP/9.9 200 OK",
            "http/1.1 200 OK",
            "ICY 200 OK", "HTTP 200 OK", "200 OK",
        ] {
            let outcome = try hit(by: .raw("\(line)\r\nContent-Length: 2\r\n\r\nhi"), .protocol, nil, line)
            XCTAssertNil(outcome.head, line)
        }
    }

    func testAnHTTP09ResponseIsRefused() throws {
        try hit(by: .raw("just the body of a page\r\n"), .protocol, .waiting)
        try hit(by: .raw("x"), .protocol, .waiting)
    }

    func testUnencryptedHTTP2FramesAreRefused() throws {
        try hit(by: .raw([0, 0, 0, 4, 0, 0, 0, 0, 0]), .protocol, .waiting)
    }

    func testAnHTTP10ConnectionIsKeptOnlyWithKeepAlive() throws {
        let old = "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n"
        let outcome = try hit(by: .raw(old + "Connection: keep-alive\r\n\r\nhi", then: .stay), nil, isReused: true)
        XCTAssertEqual(outcome.text, "hi")
        XCTAssertEqual(try hit(by: .raw(old + "\r\nhi", then: .stay), nil).text, "hi")
    }

    func testAnUnrequestedSwitchOfProtocolsIsAProtocolError() throws {
        let upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
        try hit(by: .raw(upgrade, then: .silence), .protocol)
        try hit(by: .raw(upgrade + "\u{1}\u{2}\u{3}", then: .close), .protocol)
    }

    func testControlCharactersInFieldsAreHandledSafely() throws {
        // libcurl itself refuses NUL from 7.89 on.
        let nul = try hit(by: .raw(ok + "X-Bad: a\u{0}b\r\nContent-Length: 2\r\n\r\nhi"), .protocol)
        XCTAssertNil(nul.head)
        let bell = try hit(by: .raw(ok + "X-Bad: a\u{7}b\r\nContent-Length: 2\r\n\r\nhi", then: .close), nil)
        XCTAssertEqual(bell.text, "hi")
    }

    func testInvalidFieldLinesAreIgnored() throws {
        for line in [": no name", "Bad Name: x", "Bad\u{1}Name: x"] {
            let outcome = try hit(by: .raw(ok + "\(line)\r\nContent-Length: 2\r\n\r\nhi"), nil, line)
            XCTAssertEqual(outcome.text, "hi", line)
            XCTAssertEqual(outcome.head?.headerFields.count, 1, line)
        }
    }

    func testABlankBeforeTheColonIsNotPartOfTheName() throws {
        for blank in [" ", "\t", "  "] {
            let outcome = try hit(
                by: .raw(ok + "X-Apart\(blank): x\r\nContent-Length: 2\r\n\r\nhi", then: .stay), nil, isReused: true)
            XCTAssertEqual(outcome.head?.headerFields[HTTPField.Name("X-Apart")!], "x")
        }
    }

    func testALineWithoutAColonIsAProtocolError() throws {
        try hit(by: .raw(ok + "no colon at all\r\nContent-Length: 2\r\n\r\nhi"), .protocol)
    }

    func testAContinuationAsTheFirstLineIsAProtocolError() throws {
        try hit(by: .raw(ok + " folded: x\r\nContent-Length: 2\r\n\r\nhi"), .protocol)
    }

    func testAContinuationIsAppendedToTheLineBefore() throws {
        let outcome = try hit(by: .raw(ok + "X-Folded: a\r\n\tb\r\n  c\r\nContent-Length: 2\r\n\r\nhi"), nil)
        XCTAssertEqual(outcome.head?.headerFields[HTTPField.Name("X-Folded")!], "a b c")
    }

    // MARK: Floods

    func testAFloodOfFieldsEndsAtTheHeadLimit() throws {
        let before = server.sentBytes
        try hit(by: .raw(ok, repeating: "X-Flood: 0123456789\r\n", times: .max), .tooLarge) {
            $0.maximumHeadSize = 10_000
        }
        assertTaken(since: before)
    }

    func testAnEndlessLineFailsWithTooLarge() throws {
        for start in [ok + "X-Endless: ", "HTTP/1.1 200 "] {
            let before = server.sentBytes
            try hit(
                by: .raw(start, repeating: String(repeating: "0123456789", count: 100), times: .max), .tooLarge,
                phase(ofEndless: start), start)
            assertTaken(since: before)
        }
    }

    private func phase(ofEndless start: String) -> HTTPClientError.Phase {
        start.contains("\n") ? .receiving : .waiting
    }

    func testAFloodOfInterimResponsesEndsAtTheHeadLimit() throws {
        let before = server.sentBytes
        let outcome = try hit(
            by: .raw("", repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", times: .max), .tooLarge
        ) {
            $0.maximumHeadSize = 10_000
        }
        XCTAssertGreaterThan(outcome.informational.count, 10)
        XCTAssertLessThan(outcome.informational.count, 1000)
        assertTaken(since: before)
    }

    /// Checks the bytes that the server could send. The system's buffers take more than the client does.
    private func assertTaken(since before: Int, file: StaticString = #filePath, line: UInt = #line) {
        XCTAssertLessThan(server.sentBytes - before, 16 << 20, file: file, line: line)
    }

    func testAnInterimResponseOnlyIsALostConnection() throws {
        let outcome = try hit(by: .raw("HTTP/1.1 103 Early Hints\r\n\r\n"), .connectionLost)
        XCTAssertEqual(outcome.informational.count, 1)
        XCTAssertNil(outcome.head)
        try hit(by: .raw("HTTP/1.1 100 Continue\r\n\r\n"), .connectionLost)
    }
}
