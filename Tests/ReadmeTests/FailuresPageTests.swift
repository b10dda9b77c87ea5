import Foundation
import XCTest

/// The tables of failures on the pages about refreshing and about sign-in name tests that exist. The page about refreshing leaves
/// none out.
final class FailuresPageTests: XCTestCase {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The cells of each row of the page's tables, heads apart.
    private static func rows(of page: String = "RefreshFailures") throws -> [[String]] {
        let page = root.appendingPathComponent("Sources/Freshet/Freshet.docc/Articles/\(page).md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.filter { lines[$0].hasPrefix("| ") && !lines[$0].hasPrefix("| ---") }
            .filter { !(lines.indices.contains($0 + 1) && lines[$0 + 1].hasPrefix("| ---")) }
            .map { line in
                lines[line].split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
            }
    }

    /// The tests in the files below `folder`.
    private static func tests(below folder: String) throws -> Set<String> {
        let folder = root.appendingPathComponent(folder)
        var names: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            for declaration in text.components(separatedBy: "    func test").dropFirst() {
                names.insert("test" + declaration.prefix { $0.isLetter || $0.isNumber })
            }
        }
        return names
    }

    private static func names(in cell: String) -> [String] {
        cell.split(separator: "`").map(String.init).filter { $0.hasPrefix("test") }
    }

    func testEveryRowNamesAnExistingTest() throws {
        let tests = try Self.tests(below: "Tests")
        for row in try Self.rows() + Self.rows(of: "SignInFailures") {
            let names = Self.names(in: row.last ?? "")
            XCTAssertFalse(names.isEmpty, "the row names no test: \(row)")
            for name in names { XCTAssertTrue(tests.contains(name), "there is no \(name)") }
        }
    }

    func testEachOfTheTwentyFiveFailuresHasARow() throws {
        XCTAssertEqual(try Self.rows().compactMap { $0.first.flatMap { Int($0) } }, Array(1...25))
    }

    func testEveryTestOfAFailureHasARow() throws {
        let named = Set(try Self.rows().flatMap { Self.names(in: $0.last ?? "") })
        let tests = try Self.tests(below: "Tests/FreshetAuthTests/Failures")
        XCTAssertGreaterThan(tests.count, 40)
        XCTAssertEqual(tests.subtracting(named).sorted(), [])
    }
}
