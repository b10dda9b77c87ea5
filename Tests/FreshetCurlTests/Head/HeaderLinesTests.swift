import CFreshetCurl
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// Tests header lines as entries of libcurl's list.
final class HeaderLinesTests: XCTestCase {
    private func entries(_ lines: inout HeaderLines) -> [String] {
        var entries: [String] = []
        var node = lines.list()
        while let entry = node?.pointee {
            entries.append(String(cString: entry.data))
            node = entry.next
        }
        return entries
    }

    func testEachFieldIsOneEntry() throws {
        var lines = HeaderLines()
        XCTAssertNil(lines.list())
        lines.append(line: "Host:")
        for field in [.authorization: "Bearer t", .cookie: "a=b"] as HTTPFields { lines.append(field) }
        XCTAssertEqual(entries(&lines), ["Host:", "Authorization: Bearer t", "Cookie: a=b"])
    }

    func testAFieldWithoutAValueEndsWithASemicolonForLibcurl() throws {
        var lines = HeaderLines()
        lines.append(HTTPField(name: try XCTUnwrap(HTTPField.Name("X-Empty")), value: ""))
        XCTAssertEqual(entries(&lines), ["X-Empty;"])
    }

    func testTheMemoryIsReusedByOneRequestAfterAnother() throws {
        var lines = HeaderLines()
        for count in [1, 30, 2] {
            lines.removeAll()
            for number in 0..<count { lines.append(line: "X-\(number): \(String(repeating: "v", count: 100))") }
            XCTAssertEqual(entries(&lines).count, count)
            XCTAssertEqual(entries(&lines).last, "X-\(count - 1): \(String(repeating: "v", count: 100))")
        }
        lines.free()
        XCTAssertNil(lines.list())
        lines.append(line: "A: b")
        XCTAssertEqual(entries(&lines), ["A: b"])
    }
}
