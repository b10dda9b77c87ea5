/// A table as `Harness.Table` prints it.
struct PrintedTable {
    /// What stands in brackets in the title.
    var key: String
    var rows: [(name: String, cells: [String])]

    static func all(in text: String) -> [PrintedTable] {
        var tables: [PrintedTable] = []
        var isAtColumns = false
        for line in text.split(separator: "\n") {
            if let open = line.firstIndex(of: "["), let close = line.firstIndex(of: "]"), !line.hasPrefix(" ") {
                tables.append(PrintedTable(key: String(line[line.index(after: open)..<close]), rows: []))
                isAtColumns = true
            } else if isAtColumns {
                isAtColumns = false
            } else if !tables.isEmpty {
                let name = line.prefix(40).split(separator: " ").joined(separator: " ")
                tables[tables.count - 1].rows.append((name, line.dropFirst(40).split(separator: " ").map(String.init)))
            }
        }
        return tables
    }
}
