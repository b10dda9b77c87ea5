import Foundation
import Harness

/// The line of JSON of who follows the streams; of the limit's only the first ones are known.
struct Figures: Decodable {
    var streams: Int
    var seconds: Double
    var bytesEach: Int
    var cpu: Double
    var errors: Int
    var bytes: Int?
    var peak: Int?
    var events: Int?
    var missed: Int?
    var repeated: Int?
    var attempts: Int?
    var away: Int?
    var latest: Int?
    var absences: [Int]?

    enum CodingKeys: String, CodingKey {
        case streams, errors, bytes, events, missed, repeated, attempts, away, absences
        case seconds = "open_s"
        case bytesEach = "rss_bytes_per_stream"
        case cpu = "cpu_s"
        case peak = "peak_rss_kb"
        case latest = "latest_ms"
    }

    init(line: String) throws {
        self = try JSONDecoder().decode(Figures.self, from: Data(line.utf8))
    }

    /// - Throws: if a stream is missing, or an event.
    func check(_ options: Options) throws {
        guard errors == 0, streams == options.streams, missed ?? 0 == 0, repeated ?? 0 == 0, away ?? 0 == 0 else {
            throw Child.Failed("streams or events are lost, or came twice: \(self)")
        }
    }
}
