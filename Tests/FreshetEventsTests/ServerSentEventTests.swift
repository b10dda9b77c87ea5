import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

final class ServerSentEventTests: EventSourceTestCase {
    private func events() throws -> [ServerSentEvent] {
        bench.transport.enqueue(
            ScriptedResponse(status: .found, headers: [.location: "https://b:8443/x"]),
            .endless("data: a\n\nevent: t\ndata: b\n\n"))
        _ = try bench.run()
        return bench.events
    }

    func testAnEventSaysWhereItCameFromAfterRedirects() throws {
        XCTAssertEqual(try events().map(\.origin), ["https://b:8443", "https://b:8443"])
        XCTAssertEqual(bench.events.map(\.type), ["message", "t"])
        XCTAssertEqual(ServerSentEvent(data: "a").origin, "")
    }

    func testWhatSaysTheSameIsEqualWhereverItComesFrom() throws {
        let (some, other) = (try events(), [ServerSentEvent(data: "a"), ServerSentEvent(type: "t", data: "b")])
        XCTAssertEqual(some, other)
        XCTAssertEqual(Set(some + other).count, 2)
        XCTAssertNotEqual(other[1], ServerSentEvent(data: "b"))
        XCTAssertNotEqual(other[0], ServerSentEvent(data: "a", id: "1"))
        XCTAssertEqual("\(some[1])", "\(other[1])")
    }

    func testAnotherTypeLeavesTheRest() throws {
        var event = try events()[1]
        event.type = "u"
        XCTAssertEqual(event, ServerSentEvent(type: "u", data: "b"))
        XCTAssertEqual(event.origin, "https://b:8443")
        event.type = "message"
        XCTAssertEqual(event, ServerSentEvent(data: "b"))
    }

    func testWhatIsNotDecodedSaysWhereItCameFromThroughOtherOperators() throws {
        let failure = Locked<HTTPClientError?>(nil)
        bench.transport.enqueue(.endless("data: a\n\nevent: t\ndata: b\n\n"))
        let subscription = try bench.source().filter { $0.type == "t" }.decode(Int.self).subscribe(
            onError: { error in failure.withLock { $0 = error as? HTTPClientError } })
        bench.scheduler.start()
        subscription.dispose()
        XCTAssertEqual(failure.withLock { $0?.origin }, "http://a")
        XCTAssertEqual(failure.withLock { $0?.phase }, .decoding)
    }

    func testTheEventsOfOneConnectionSayItToo() throws {
        bench.transport.enqueue(.events("data: a\n\n"))
        let failure = Locked<HTTPClientError?>(nil)
        let subscription = bench.client.events(try Request(.get, "http://a/")).serverSentEvents().decode(Int.self)
            .subscribe(onError: { error in failure.withLock { $0 = error as? HTTPClientError } })
        bench.scheduler.start()
        subscription.dispose()
        XCTAssertEqual(failure.withLock { $0?.origin }, "http://a")
    }

    func testTheErrorOfALimitSaysWhichAndWhatToRaise() throws {
        for (stream, what) in [("data: 0123456789ab", "line"), ("data: 01234\ndata: 01234\ndata: 0\n", "event")] {
            bench = EventSourceBench()
            bench.settings.maximumEventSize = 11
            bench.transport.enqueue(.endless(stream))
            let failure = Locked<HTTPClientError?>(nil)
            let subscription = try bench.source().subscribe(
                onError: { error in failure.withLock { $0 = error as? HTTPClientError } })
            bench.scheduler.start()
            subscription.dispose()
            let text = failure.withLock { $0 }?.description ?? ""
            for word in ["a \(what) of", "11 bytes", "maximumEventSize", "http://a", "receiving"] {
                XCTAssertTrue(text.contains(word), text)
            }
        }
    }
}
