import Foundation
import Harness

/// A contender's line of JSON.
struct Figures: Decodable {
    var requests: Int
    var rps: Double
    var cpuMicroseconds: Double
    var errors: Int
    var bytes: Int

    enum CodingKeys: String, CodingKey {
        case requests, rps, errors, bytes
        case cpuMicroseconds = "cpu_us_per_request"
    }

    /// - Throws: if an answer is missing or not as it should be.
    static func of(_ contender: Contender, in scenario: Scenario, at nginx: Nginx, requests: Int) throws -> Figures {
        let command = scenario.command(contender, at: nginx, requests: requests)
        let line = try Child.run(command).output
        let figures = try JSONDecoder().decode(Figures.self, from: Data(line.utf8))
        guard figures.errors == 0, figures.requests == requests, figures.bytes == requests * scenario.bytes else {
            throw Child.Failed("\(contender.name) has wrong answers: \(line)")
        }
        return figures
    }
}
