import FreshetCore
import FreshetCurl
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import XCTest

/// Tests transports and loops that end while streams are in each phase: each stream ends once with an error, and no resources
/// are left.
final class EventStreamEndingTests: EventStreamTestCase {
    private func end(_ response: ScriptedResponse, when: String, _ isSo: (StreamLog) -> Bool) throws {
        let loop = try Loop(name: "ending")
        let transport = CurlTransport(loop: loop)
        let client = HTTPClient(transport: transport, scheduler: LoopScheduler(loop))
        server.script.route { _ in response }
        let streams = try (0..<20).map { _ in try follow(by: client) }
        for stream in streams { stream.wait(until: when, isSo) }
        let drained = expectation(description: "drained")
        let draining = client.drain().subscribe { _ in drained.fulfill() }
        transport.shutdown()
        loop.shutdown()
        for stream in streams {
            let log = stream.end()
            XCTAssertEqual(log.error?.code, .cancelled, when)
            XCTAssertEqual(log.error?.origin, server.url, when)
        }
        wait(for: [drained], timeout: 20)
        draining.dispose()
    }

    func testStreamsThatWaitToReconnectEndWithAnError() throws {
        settings.reconnectionTime = .seconds(3600)
        try end(.events("data: a\n\n"), when: "they wait") { $0.waits.count == 1 }
    }

    func testStreamsThatReconnectEndWithAnError() throws {
        settings.reconnectionTime = .zero
        try end(.events("data: a\n\n"), when: "they have come twice") { $0.openings > 1 }
    }

    func testStreamsWhoseConnectionsFailEndWithAnError() throws {
        settings.reconnectionTime = .zero
        try end(.reset, when: "they have failed twice") { $0.troubles.count > 1 }
    }

    func testOpenStreamsEndWithAnError() throws {
        try end(.events("data: a\n\n", "data: b\n\n").pausing(after: 9, until: Barrier()), when: "an event") {
            $0.data == ["a"]
        }
    }

    func testStreamsThatWaitForTheirResponseEndWithAnError() throws {
        try end(.silence, when: "nothing") { _ in true }
    }
}
