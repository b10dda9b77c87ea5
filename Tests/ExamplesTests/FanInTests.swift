import Foundation
import FreshetHTTPTesting
import HTTPTypes
import XCTest

final class FanInTests: ExampleTestCase {
    private struct Summary: Decodable {
        var count: Int
        var lowest: Double
        var highest: Double
        var total: Double
    }

    func testAllReadingsArriveOnceAndASlowStoreHoldsTheStreams() throws {
        let (sensors, readings, padding) = (4, 500, 32 * 1024)
        server.route(.get, "/sensors/*") { request in
            // At the end of the response the client reconnects. The server has no more events for it.
            guard request.headers[HTTPField.Name("Last-Event-ID")!] == nil else {
                return ScriptedResponse(status: .noContent)
            }
            let pieces = (1...readings).map { number in
                let event = "id: \(number)\ndata: {\"sensor\": \"\(request.path)\", \"degrees\": \(number)}\n\n"
                return Array(event.utf8) + Array(":\(String(repeating: " ", count: padding))\n".utf8)
            }
            return ScriptedResponse(headers: [.contentType: "text/event-stream"], pieces: pieces)
        }
        let barrier = Barrier()
        server.route(.post, "/summaries") { _ in ScriptedResponse(status: .created).delayed(until: barrier) }

        let example = try ExampleProcess("FanInExample", server.url, "kitchen", "cellar", "garden", "attic")
        waitUntil("a summary waits to be stored") { barrier.waiting > 0 }
        // Nothing is stored, so that the example stops reading at some time.
        waitUntilStill("the streams") { server.sentBytes }
        XCTAssertLessThan(server.sentBytes, sensors * readings * padding * 3 / 4)
        XCTAssertEqual(server.requests(.post, to: "/summaries").count, 1)
        barrier.release()

        let lines = example.lines()
        let summaries = try server.requests(.post, to: "/summaries").map {
            try JSONDecoder().decode(Summary.self, from: Data($0.body))
        }
        XCTAssertEqual(lines.count, summaries.count)
        XCTAssertTrue(summaries.allSatisfy { (1...100).contains($0.count) })
        XCTAssertEqual(summaries.reduce(0) { $0 + $1.count }, sensors * readings)
        XCTAssertEqual(summaries.reduce(0) { $0 + $1.total }, Double(sensors * readings * (readings + 1) / 2))
        XCTAssertEqual(summaries.map(\.lowest).min(), 1)
        XCTAssertEqual(summaries.map(\.highest).max(), Double(readings))
    }
}
