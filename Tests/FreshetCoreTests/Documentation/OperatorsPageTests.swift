import XCTest

/// Tests that the page of all operators contains each of them, with the marbles of its documentation.
final class OperatorsPageTests: XCTestCase {
    private static let path = "Sources/Freshet/Freshet.docc/Articles/Operators.md"

    /// An operator's line on the page, with the lines of its marbles.
    private struct Entry {
        let folder: String
        let name: String
        var text: String
        var marbles: [String] = []
    }

    private static func entries(of page: String) -> [Entry] {
        var folder = ""
        var entries: [Entry] = []
        for line in page.components(separatedBy: "\n") {
            if line.hasPrefix("## ") {
                folder = String(line.dropFirst(3))
            } else if line.hasPrefix("- `"), let end = line.range(of: "`: ") {
                let name = line[..<end.lowerBound].dropFirst(3)
                entries.append(Entry(folder: folder, name: String(name), text: String(line[end.upperBound...])))
            } else if line.hasPrefix("  "), !line.hasPrefix("  ```"), !entries.isEmpty {
                let marbles = line.trimmingCharacters(in: .whitespaces)
                if !marbles.isEmpty { entries[entries.count - 1].marbles.append(marbles) }
            }
        }
        return entries
    }

    func testThePageListsEveryOperatorWithItsMarbles() throws {
        let entries = Self.entries(of: try OperatorInventory.text(Self.path))
        let operators = Dictionary(grouping: try OperatorInventory.operators()) { "\($0.folder): \($0.name)" }
        for (key, overloads) in operators.sorted(by: { $0.key < $1.key }) {
            let marbles = try overloads.flatMap { try Self.marbles(of: $0) }
            let fenced = marbles.isEmpty ? [] : ["```"] + marbles + ["```"]
            let wanted =
                "\(Self.path) needs under \(overloads[0].folder):\n- `\(overloads[0].name)`: …\n"
                + fenced.map { "  \($0)" }.joined(separator: "\n")
            let entry = entries.first { "\($0.folder): \($0.name)" == key }
            XCTAssertNotNil(entry, wanted)
            if let entry {
                XCTAssertEqual(entry.marbles, marbles, wanted)
                XCTAssertFalse(entry.text.isEmpty, key)
            }
        }
    }

    func testThePageListsNothingElseAndNothingTwice() throws {
        let names = Self.entries(of: try OperatorInventory.text(Self.path)).map { "\($0.folder): \($0.name)" }
        let operators = Set(try OperatorInventory.operators().map { "\($0.folder): \($0.name)" })
        XCTAssertEqual(names.filter { !operators.contains($0) }, [])
        XCTAssertEqual(names.count, Set(names).count)
    }

    private static func marbles(of one: Operator) throws -> [String] {
        let lines = one.doc.map { $0.hasPrefix("    ") ? String($0.dropFirst(4)) : "" }
        let isDrawn = try !DocMarbles.blocks(of: lines, in: one.name).isEmpty
        return isDrawn ? lines.filter { DocMarbles.isMarbles($0) } : []
    }
}
