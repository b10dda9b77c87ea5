import EventStreamCases
import Foundation
import Freshet
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests some of the known cases of event streams as lines of `freshet events`.
final class EventStreamCasesTests: CommandLineTestCase {
    func testEachEventIsWrittenAsALine() throws {
        for each in EventStreamCase.topics.flatMap({ $0.cases.prefix(3) }) {
            server.enqueue(ScriptedResponse(headers: [.contentType: "text/event-stream"], pieces: [each.bytes]))
            let result = try freshet("events", server.url, "--no-reconnect")
            XCTAssertEqual(result.status, 0, "\(each.name): \(result.errorOutput)")
            let lines = result.objects.map { object in
                ["type", "data", "id"].map { Array((object[$0] as? String ?? "none").utf8) }
            }
            let wanted = each.events.map { event in [event.type, event.data, event.id].map { Array($0.utf8) } }
            XCTAssertTrue(lines == wanted, each.name)
        }
    }
}
