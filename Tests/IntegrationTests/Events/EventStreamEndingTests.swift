import FreshetCore
import FreshetCurl
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
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

    func testAPausedStreamDeliversWhatWaitedAndTheErrorOfTheShutdownAtItsResume() throws {
        let loop = try Loop(name: "paused")
        let transport = CurlTransport(loop: loop)
        let client = HTTPClient(transport: transport, scheduler: LoopScheduler(loop))
        server.script.route { _ in
            .events("data: 1\n\ndata: 2\n\ndata: 3\n\n", ":\n").pausing(after: 27, until: Barrier())
        }
        let subscription = SerialDisposable()
        let (paused, ended) = (expectation(description: "paused"), expectation(description: "ended"))
        let seen = Locked<[String]>([])
        let source = EventSource(try Request(.get, "\(server.url)/events"), by: client)
        subscription.disposable = source.subscribe { event in
            switch event {
            case .next(let event):
                let isFirst = seen.withLock { seen in
                    seen.append(event.data)
                    return seen.count == 1
                }
                if isFirst {
                    subscription.pause()
                    paused.fulfill()
                }
            case .error(let error):
                seen.withLock { $0.append("\((error as? HTTPClientError)?.code.rawValue ?? "")") }
                ended.fulfill()
            case .completed: XCTFail("it was cut")
            }
        }
        wait(for: [paused], timeout: 20)
        transport.shutdown()
        loop.shutdown()
        subscription.resume()
        wait(for: [ended], timeout: 20)
        XCTAssertEqual(seen.withLock { $0 }, ["1", "2", "3", "cancelled"])
        subscription.dispose()
    }
}
