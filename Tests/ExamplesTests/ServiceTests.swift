import Foundation
import FreshetHTTPTesting
import HTTPTypes
import XCTest

final class ServiceTests: ExampleTestCase {
    func testATerminationSignalLetsRunningChecksFinish() throws {
        let barrier = Barrier()
        let rate = ScriptedResponse.json(#"{"currency": "EUR", "value": 1.1}"#)
        server.enqueue(rate, ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "0"]), rate)
        server.route(.get, "/rates/eur") { _ in rate.delayed(until: barrier) }
        let service = try ExampleProcess("ServiceExample", "\(server.url)/rates/eur")
        XCTAssertEqual(service.output(through: "EUR 1.1\nEUR 1.1\n"), "EUR 1.1\nEUR 1.1\n")
        waitUntil("a check is under way") { barrier.waiting > 0 }
        service.signal(SIGTERM)
        barrier.release()
        XCTAssertEqual(service.lines(), ["EUR 1.1", "4 durations, 3 checks"])
        let traced = server.requests.filter { $0.headers[HTTPField.Name("in-memory-trace-id")!] != nil }
        XCTAssertEqual(traced.count, 4, "each attempt tells the server of its trace")
    }

    func testAFailedCheckDoesNotEndTheService() throws {
        let rate = ScriptedResponse.json(#"{"currency": "EUR", "value": 1.1}"#)
        server.enqueue(rate, ScriptedResponse(status: .notFound), rate)
        let service = try ExampleProcess("ServiceExample", "\(server.url)/rates/eur")
        let text = service.output(through: "EUR 1.1\nfailed: ") + service.output(through: "EUR 1.1\n")
        XCTAssertTrue(text.contains("status: "), text)
        service.signal(SIGTERM)
        _ = service.lines()
    }
}
