import CAllocations
import Foundation

/// `events [word …] [--rounds N]`: what parsing an event stream takes, beside finding its line feeds by `memchr`.
let arguments = CommandLine.arguments
let rounds = arguments.firstIndex(of: "--rounds").flatMap { Int(arguments[($0 + 1)...].first ?? "") } ?? 40
let words = arguments.dropFirst().filter { !$0.hasPrefix("-") && Int($0) == nil }

func isWanted(_ name: String) -> Bool { words.isEmpty || words.contains { name.contains($0) } }

func row(_ cells: String...) {
    let widths = [24] + Array(repeating: 10, count: 7)
    print(zip(cells, widths).map { $0.padding(toLength: max($1, $0.count), withPad: " ", startingAt: 0) }.joined())
}

// In a process of its own, for whose allocator such a size is news.
if let size = arguments.firstIndex(of: "--single").map({ arguments[($0 + 1)...].compactMap(Int.init) }) {
    let sample = Sample(single: size[0] << 20, line: size[1] == 0 ? nil : size[1], piece: size[2])
    print(Runs.time(rounds: 1, sample, [Runs.parse])[0])
    exit(0)
}

func timeAlone(_ numbers: Int...) throws -> Double {
    var times: [Double] = []
    for _ in 0..<max(3, rounds / 5) {
        let (child, output) = (Process(), Pipe())
        child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        child.arguments = ["--single"] + numbers.map(String.init)
        child.standardOutput = output
        try child.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        child.waitUntilExit()
        times.append(Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? .nan)
    }
    return times.sorted()[times.count / 2]
}

row("", "ns/event", "memchr", "ratio", "texts", "ratio", "M/s", "allocs")
for sample in Sample.small where isWanted(sample.name) {
    let times = Runs.time(rounds: rounds, sample, [Runs.parse, Runs.split, Runs.splitIntoTexts])
    allocations_start()
    _ = Runs.parse(sample)
    let allocations = Double(allocations_stop()) / Double(sample.events)
    let each = times.map { $0 / Double(sample.events) }
    row(
        sample.name, String(format: "%.1f", each[0]), String(format: "%.1f", each[1]),
        String(format: "%.2f", each[1] / each[0]), String(format: "%.1f", each[2]),
        String(format: "%.2f", each[2] / each[0]), String(format: "%.1f", 1000 / each[0]),
        String(format: "%.2f", allocations))
}

print("")
row("one event", "ms", "GB/s", "to half")
for (what, line, piece) in [
    ("in pieces of 16 KiB", 0, 16 << 10), ("in pieces of 64 KiB", 0, 64 << 10), ("in one piece", 0, 1 << 30),
    ("in lines of 100 B", 100, 16 << 10),
] where isWanted(what) {
    print(what)
    var before: Double?
    for size in [4, 8, 16, 32] {
        let time = try timeAlone(size, line, piece)
        row(
            "\(size) MiB", String(format: "%.2f", time / 1e6), String(format: "%.2f", Double(size << 20) / time),
            before.map { String(format: "%.2f", time / $0) } ?? "")
        before = time
    }
}
