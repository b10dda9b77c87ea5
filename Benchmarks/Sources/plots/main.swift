import Foundation

// Draws the plots of the page Performance from what the programs printed: `plots FILE... -o FOLDER`.
let words = CommandLine.arguments.dropFirst()
guard let mark = words.firstIndex(of: "-o"), mark + 1 < words.endIndex else {
    print("usage: plots FILE... -o FOLDER")
    exit(2)
}
let folder = words[mark + 1]
let tables = try words[..<mark].flatMap { try PrintedTable.all(in: String(contentsOfFile: $0, encoding: .utf8)) }
for (name, chart) in BarChart.all(of: tables) {
    try chart.svg.write(toFile: "\(folder)/\(name).svg", atomically: true, encoding: .utf8)
}
