import XCTest

@testable import FreshetCurl

final class HeadBufferTests: XCTestCase {
    func testTheFirstLineIsPassedOnAtOnceAndTheOthersTogether() {
        let buffer = HeadBuffer()
        XCTAssertEqual(append("HTTP/1.1 200 OK\r\n", to: buffer), "HTTP/1.1 200 OK\r\n")
        XCTAssertNil(append("A: b\r\n", to: buffer))
        XCTAssertNil(append("C: d\r\n", to: buffer))
        XCTAssertEqual(append("\r\n", to: buffer), "A: b\r\nC: d\r\n\r\n")
        XCTAssertEqual(
            append("HTTP/1.1 204 No Content\r\n", to: buffer), "HTTP/1.1 204 No Content\r\n", "the next head")
    }

    func testALineThatBeginsWithACarriageReturnEndsTheHeadAsInLibcurl() {
        let buffer = HeadBuffer()
        _ = append("HTTP/1.1 200 OK\r\n", to: buffer)
        XCTAssertEqual(append("\rA: b\r\n", to: buffer), "\rA: b\r\n")
    }

    func testALargeHeadIsPassedOnInParts() {
        let buffer = HeadBuffer()
        _ = append("HTTP/1.1 200 OK\r\n", to: buffer)
        let line = "A: " + String(repeating: "b", count: 10_000) + "\r\n"
        XCTAssertNil(append(line, to: buffer))
        XCTAssertEqual(append(line, to: buffer), line + line)
        XCTAssertEqual(append("\r\n", to: buffer), "\r\n")
    }

    func testRemovingAllReturnsTheBufferedLines() {
        let buffer = HeadBuffer()
        _ = append("X-First: a\r\n", to: buffer)
        _ = append("X-Second: b\r\n", to: buffer)
        XCTAssertEqual(buffer.removeAll().map { String(decoding: $0, as: UTF8.self) }, "X-Second: b\r\n")
        XCTAssertNil(buffer.removeAll().map(\.count))
    }

    func testBufferedLinesOutliveTheFreedMemory() {
        let buffer = HeadBuffer()
        _ = append("X-First: a\r\n", to: buffer)
        _ = append("X-Second: b\r\n", to: buffer)
        buffer.free()
        XCTAssertEqual(buffer.removeAll().map { String(decoding: $0, as: UTF8.self) }, "X-Second: b\r\n")
        buffer.free()
        XCTAssertNil(buffer.removeAll().map(\.count))
    }

    func testAResetBufferIsEmpty() {
        let buffer = HeadBuffer()
        _ = append("HTTP/1.1 200 OK\r\n", to: buffer)
        _ = append("A: b\r\n", to: buffer)
        buffer.reset()
        XCTAssertEqual(append("HTTP/1.1 404 Not Found\r\n", to: buffer), "HTTP/1.1 404 Not Found\r\n")
        XCTAssertEqual(append("\r\n", to: buffer), "\r\n")
    }

    private func append(_ line: String, to buffer: borrowing HeadBuffer) -> String? {
        Array(line.utf8).withUnsafeBytes { line in
            buffer.append(line, at: 1).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
