import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests what the client keeps when a connection ends. Source: the WHATWG HTML standard, section 9.2.3, "reestablish the
/// connection".
final class EventStreamReconnectionTests: EventStreamTestCase {
    func testAStreamReconnectsAfterEveryKindOfEnd() throws {
        let first = ScriptedResponse.events("id: 1\ndata: a\n\nid: 2\ndata: b")
        let ways = [
            first, first.untilClose(), first.closing(), first.closingWithoutConnectionClose(), first.reset(after: 30),
            first.truncated(after: 30),
            .raw(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "f\r\nid: 1\ndata: a\n\n\r\nffff\r\nid: 2\ndata: b"),
            .raw("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 99\r\n\r\nid: 1\ndata: a\n\n"),
            .raw("HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\nid: 1\ndata: a\n\nid: 2\ndata: b\n"),
        ]
        for (number, way) in ways.enumerated() {
            server.enqueue(way, .events("data: c\n\n"), .noMore)
            let log = try follow().end()
            XCTAssertNil(log.error, "\(number)")
            XCTAssertEqual(log.events, [.init(data: "a", id: "1"), .init(data: "c", id: "1")], "\(number)")
            XCTAssertEqual(lastEventIDs.suffix(3), [nil, "1", "1"], "\(number)")
            XCTAssertEqual(log.openings, 2)
        }
    }

    func testAFailedConnectionIsRetried() throws {
        server.enqueue(
            .close, .reset, .raw("HTTP/1.1 200 OK\r\nContent-", then: .reset), .events("data: a\n\n"), .noMore)
        let log = try follow().end()
        XCTAssertEqual(log.data, ["a"])
        XCTAssertEqual(log.troubles.map(\.code), [.connectionLost, .connectionLost, .connectionLost])
        XCTAssertEqual(Set(log.troubles.map(\.origin)), [server.url])
    }

    func testAClosedPortIsRetried() throws {
        let other = try ScriptedServer(on: loop)
        let url = other.url
        other.close()
        settings.retryLimit = 2
        let log = try follow(Request(.get, url)).end()
        XCTAssertEqual(log.error?.code, .connect)
        XCTAssertEqual(log.error?.origin, url)
        XCTAssertEqual(log.waits.count, 2)
    }

    func testAnEmptyIDIsNoLongerSent() throws {
        server.enqueue(.events("id: abc\ndata: a\n\n", "id: \ndata: b\n\n"), .events("data: c\n\n"), .noMore)
        let log = try follow().end()
        XCTAssertEqual(log.events.map(\.id), ["abc", "", ""])
        XCTAssertEqual(lastEventIDs, [nil, nil, nil])
    }

    func testEachConnectionHasItsOwnByteOrderMarkAndDropsAnUnfinishedLine() throws {
        server.enqueue(
            .events("\u{FEFF}data: a\n\ndata: ha"), .events("\u{FEFF}data: b\r"), .events("\ndata: c\n\nevent: x\n"),
            .events("data: d\n\n"), .noMore)
        let log = try follow().end()
        XCTAssertEqual(log.events, [.init(data: "a"), .init(data: "c"), .init(data: "d")])
    }

    func testTheReconnectionTimeOfTheServerIsKeptOverConnections() throws {
        server.enqueue(
            .events("retry: 20\n\n"), .events("retry: 30x\nretry\ndata: a\n\n"), .close, .events("retry: 5\n"), .noMore)
        let clock = ContinuousClock()
        let start = clock.now
        let log = try follow().end()
        XCTAssertEqual(log.waits, [20, 20, 20, 5].map { .milliseconds($0) })
        XCTAssertGreaterThan(clock.now - start, .milliseconds(65))
    }

    func testASilentConnectionIsLost() throws {
        settings.idleTimeout = .milliseconds(400)
        let barrier = Barrier()
        server.enqueue(.events("id: 1\ndata: a\n\n", "data: b\n\n").pausing(after: 15, until: barrier), .noMore)
        let log = try follow().end()
        XCTAssertEqual(log.data, ["a"])
        XCTAssertEqual(log.troubles.map(\.code), [.timeout])
        XCTAssertEqual(log.troubles.first?.origin, server.url)
        XCTAssertEqual(lastEventIDs, [nil, "1"])
        waitUntil("it is known to the server") { server.abandoned.count == 1 }
    }

    func testAnyBytesResetTheIdleTimeout() throws {
        settings.idleTimeout = .seconds(1)
        server.enqueue(.events(": a\n", "da", "ta: b", "\n", "\n").pausing(.milliseconds(300)), .noMore)
        let log = try follow().end()
        XCTAssertEqual(log.data, ["b"])
        XCTAssertEqual(log.troubles.count, 0)
    }

    func testDisposingClosesTheConnection() throws {
        server.enqueue(.events("data: a\n\n", "data: b\n\n").pausing(after: 9, until: Barrier()))
        let stream = try follow()
        stream.wait(until: "an event") { $0.data == ["a"] }
        stream.leave()
        waitUntil("it has left") { server.abandoned.count == 1 && server.openConnections == 0 }
        XCTAssertFalse(stream.now.isOver)
    }

    func testDisposingOneOfManyObserversLeavesTheOthersConnected() throws {
        let (all, barrier) = (Barrier(), Barrier())
        server.enqueue(
            .events("id: 1\ndata: a\n\n", "data: b\n\n").delayed(until: all).pausing(after: 15, until: barrier),
            .events("data: c\n\n"), .noMore)
        let shared = try EventSource(Request(.get, server.url), by: client(), settings: settings).share()
        let seen = (0..<3).map { _ in Locked<[String]>([]) }
        let readers = seen.map { seen in
            shared.subscribe(
                onNext: { event in seen.withLock { $0.append(event.data) } },
                onCompleted: { seen.withLock { $0.append("end") } })
        }
        all.release()
        waitUntil("all have an event") { seen.allSatisfy { seen in seen.withLock { $0 == ["a"] } } }
        readers[1].dispose()
        barrier.release()
        waitUntil("the end") { seen[0].withLock { $0.last == "end" } && seen[2].withLock { $0.last == "end" } }
        XCTAssertEqual(seen.map { $0.withLock { $0 } }, [["a", "b", "c", "end"], ["a"], ["a", "b", "c", "end"]])
        XCTAssertEqual(server.requestCount, 3, "one connection at a time for all")
        XCTAssertEqual(server.abandoned.count, 0)
        for reader in readers { reader.dispose() }
    }

    func testDisposingTheLastObserverClosesTheConnection() throws {
        let all = Barrier()
        server.enqueue(.events("data: a\n\n", "data: b\n\n").delayed(until: all).pausing(after: 9, until: Barrier()))
        let shared = try EventSource(Request(.get, server.url), by: client(), settings: settings).share()
        let count = Locked(0)
        let readers = (0..<50).map { _ in shared.subscribe(onNext: { _ in count.withLock { $0 += 1 } }) }
        all.release()
        waitUntil("all have an event") { count.withLock { $0 } == 50 }
        for reader in readers.dropLast() { reader.dispose() }
        XCTAssertEqual(server.openConnections, 1)
        readers[49].dispose()
        waitUntil("it has left") { server.openConnections == 0 }
        XCTAssertEqual(server.requestCount, 1)
    }
}
