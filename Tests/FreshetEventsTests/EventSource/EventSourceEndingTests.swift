import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests streams whose client ends.
final class EventSourceEndingTests: EventSourceTestCase {
    func testDrainingTheClientEndsAStreamThatWaitsToReconnect() throws {
        bench.transport.enqueue(.events("data: a\n\n"))
        let client = bench.client
        let subscription = bench.follow(EventSource(try Request(.get, "http://a/"), by: client))
        bench.scheduler.advanceTo(1000)
        let ending = client.drain().subscribe { _ in }
        XCTAssertEqual(bench.log.suffix(2), ["1000 closed", "1000 error cancelled"])
        ending.dispose()
        subscription.dispose()
        bench.scheduler.start()
        XCTAssertEqual(bench.transport.requestCount, 1)
    }

    func testDrainingTheClientEndsRunningAndLaterStreams() throws {
        bench.transport.route { _ in .endless("data: a\n\n") }
        let client = bench.client
        let subscription = bench.follow(EventSource(try Request(.get, "http://a/"), by: client))
        bench.scheduler.advanceTo(1000)
        let ending = client.drain().subscribe { _ in }
        bench.scheduler.advanceTo(1001)
        XCTAssertEqual(bench.log.suffix(2).last, "1000 error cancelled")
        let late = bench.follow(EventSource(try Request(.get, "http://a/"), by: client))
        bench.scheduler.start()
        XCTAssertEqual(bench.log.last?.hasSuffix("error cancelled"), true)
        for subscription in [subscription, late, ending] { subscription.dispose() }
    }

    func testTheErrorOfARefusedStreamAndThatOfItsResponseNameTheServer() throws {
        let transport = ObservableTransport { _ in
            .of(
                .phase(.connected(address: "192.0.2.1:80", reused: false)),
                .head(HTTPResponse(status: .unprocessableContent)), .body(Array("x".utf8)))
        }
        let client = HTTPClient(transport: transport, scheduler: bench.scheduler)
        let source = EventSource(try Request(.get, "http://a/events"), by: client, settings: bench.settings)
        let failure = Locked<HTTPClientError?>(nil)
        let subscription = source.subscribe(
            onError: { error in failure.withLock { $0 = error as? HTTPClientError } })
        bench.scheduler.start()
        subscription.dispose()
        let error = try XCTUnwrap(failure.withLock { $0 })
        XCTAssertTrue("\(error)".hasSuffix("GET http://a/events, 192.0.2.1:80)"), "\(error)")
        XCTAssertThrowsError(try error.response?.decoded(Int.self)) { undecodable in
            let text = "\(undecodable)"
            XCTAssertTrue(text.hasSuffix("(decoding, GET http://a/events, 192.0.2.1:80)"), text)
        }
    }

    func testDrainingTheClientFailsAReconnectedStreamOnce() throws {
        bench.transport.enqueue(.events(), .events(), .endless())
        let client = bench.client
        let subscription = bench.follow(EventSource(try Request(.get, "http://a/"), by: client))
        bench.scheduler.advanceTo(20_000)
        let ending = client.drain().subscribe { _ in }
        bench.scheduler.start()
        XCTAssertEqual(bench.log.filter { $0.contains("error") }.count, 1)
        for subscription in [subscription, ending] { subscription.dispose() }
    }
}
