import Foundation

/// Columns of text, each line printed as soon as it is there.
public struct Table {
    private let widths: [Int]

    public init(_ title: String, _ columns: [(name: String, width: Int)]) {
        widths = columns.map(\.width)
        print("\n\(title)")
        row("", columns.map(\.name))
    }

    public func row(_ name: String, _ cells: [String]) {
        let cells = zip(cells, widths).map { cell, width in
            String(repeating: " ", count: max(1, width - cell.count)) + cell
        }
        print("  " + name.padding(toLength: 38, withPad: " ", startingAt: 0) + cells.joined())
        fflush(nil)
    }

    public static func ratio(_ value: Double?) -> String {
        value.map { String(format: "%.2f", $0) } ?? "-"
    }

    public static func thousands(_ value: Double?) -> String {
        value.map { String(format: "%.1fk", $0 / 1000) } ?? "-"
    }
}
