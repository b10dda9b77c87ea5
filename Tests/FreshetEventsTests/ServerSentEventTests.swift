import FoundationEssentials
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

    func testAnEventHasTheOriginAfterRedirects() throws {
        XCTAssertEqual(try events().map(\.origin), ["https://b:8443", "https://b:8443"])
        XCTAssertEqual(bench.events.map(\.type), ["message", "t"])
        XCTAssertEqual(ServerSentEvent(data: "a").origin, "")
    }

    func testEventsAreEqualRegardlessOfTheirOrigin() throws {
        let (some, other) = (try events(), [ServerSentEvent(data: "a"), ServerSentEvent(type: "t", data: "b")])
        XCTAssertEqual(some, other)
        XCTAssertEqual(Set(some + other).count, 2)
        XCTAssertNotEqual(other[1], ServerSentEvent(data: "b"))
        XCTAssertNotEqual(other[0], ServerSentEvent(data: "a", id: "1"))
        XCTAssertEqual("\(some[1])", "\(other[1])")
    }

    func testChangingTheTypeKeepsTheOtherProperties() throws {
        var event = try events()[1]
        event.type = "u"
        XCTAssertEqual(event, ServerSentEvent(type: "u", data: "b"))
        XCTAssertEqual(event.origin, "https://b:8443")
        event.type = "message"
        XCTAssertEqual(event, ServerSentEvent(data: "b"))
    }

    func testADecodingErrorHasTheOriginAfterOtherOperators() throws {
        let failure = Locked<HTTPClientError?>(nil)
        bench.transport.enqueue(.endless("data: a\n\nevent: t\ndata: b\n\n"))
        let subscription = try bench.source().filter { $0.type == "t" }.decode(Int.self).subscribe(
            onError: { error in failure.withLock { $0 = error as? HTTPClientError } })
        bench.scheduler.start()
        subscription.dispose()
        XCTAssertEqual(failure.withLock { $0?.origin }, "http://a")
        XCTAssertEqual(failure.withLock { $0?.phase }, .decoding)
    }

    func testTheDecoderOfTheClientDecodesEvents() throws {
        struct Wave: Decodable {
            var waveHeight: Int
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        bench.configuration.decoder = decoder
        bench.transport.enqueue(.endless("data: {\"wave_height\": 3}\n\nevent: t\ndata: {\"wave_height\": 4}\n\n"))
        let heights = Locked<[Int]>([])
        let subscription = try bench.source().decode(Wave.self).subscribe(onNext: { wave in
            heights.withLock { $0.append(wave.waveHeight) }
        })
        bench.scheduler.start()
        subscription.dispose()
        XCTAssertEqual(heights.withLock { $0 }, [3, 4])
    }

    func testSharedSignalsAndEventsUseOneConnection() throws {
        bench.transport.enqueue(.endless("data: a\n\n").after(.seconds(1)))
        let signals = try bench.source().signals.share()
        let seen = Locked<[String]>([])
        let subscriptions = DisposeBag()
        signals.subscribe(onNext: { signal in seen.withLock { $0.append("\(signal)") } }).disposed(by: subscriptions)
        signals.events().subscribe(onNext: { event in seen.withLock { $0.append(event.data) } })
            .disposed(by: subscriptions)
        bench.scheduler.advanceTo(2000)
        XCTAssertEqual(seen.withLock { $0 }.suffix(2), ["event(message, 1 bytes)", "a"])
        XCTAssertEqual(bench.transport.requestCount, 1)
    }

    func testADecodingErrorOfASingleResponseHasTheOrigin() throws {
        bench.transport.enqueue(.events("data: a\n\n"))
        let failure = Locked<HTTPClientError?>(nil)
        let subscription = bench.client.events(try Request(.get, "http://a/")).serverSentEvents().decode(Int.self)
            .subscribe(onError: { error in failure.withLock { $0 = error as? HTTPClientError } })
        bench.scheduler.start()
        subscription.dispose()
        XCTAssertEqual(failure.withLock { $0?.origin }, "http://a")
    }

    func testTheErrorOfALimitNamesTheLimitAndItsSetting() throws {
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
