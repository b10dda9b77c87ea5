extension String {
    /// The number of bytes to add, remove or replace to get `other`. Source: Levenshtein.
    func editDistance(to other: String) -> Int {
        let other = Array(other.utf8)
        var row = Array(0...other.count)
        for (index, letter) in utf8.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let cost = min(row[column], row[column + 1]) + 1
                let replaced = diagonal + (letter == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(cost, replaced)
            }
        }
        return row[other.count]
    }
}
