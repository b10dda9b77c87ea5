import Foundation
import Harness

/// User instructions a request, as callgrind counts them: the figure that the machine's other work does not move.
enum Instructions {
    static func perRequest(_ contender: Contender, in scenario: Scenario, at nginx: Nginx) throws -> Double {
        // What the process does once is in both counts.
        let (few, many) = (scenario.counted, 3 * scenario.counted)
        let difference = try count(contender, scenario, nginx, many) - count(contender, scenario, nginx, few)
        return Double(difference) / Double(many - few)
    }

    private static func count(
        _ contender: Contender, _ scenario: Scenario, _ nginx: Nginx, _ requests: Int
    ) throws -> Int {
        let command = try scenario.command(contender, at: nginx, requests: requests).map {
            $0 == contender.program ? try withoutDebugInformation($0) : $0
        }
        let said = try Child.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] + command)
        let words = said.complaints.split(whereSeparator: \.isWhitespace)
        guard let index = words.firstIndex(of: "Collected"), let number = words.dropFirst(index + 2).first,
            let count = Int(number)
        else { throw Child.Failed("callgrind: \(said.complaints)") }
        guard said.output.contains("\"errors\": 0") else {
            throw Child.Failed("\(contender.name) has wrong answers under callgrind: \(said.output)")
        }
        return count
    }

    /// Valgrind 3.19 does not read the kind that clang writes by default, and gives up.
    private static func withoutDebugInformation(_ program: String) throws -> String {
        let copy = Directory.shared.path("\(URL(fileURLWithPath: program).lastPathComponent)")
        if !FileManager.default.fileExists(atPath: copy) { try Child.run(["strip", "-g", "-o", copy, program]) }
        return copy
    }
}
