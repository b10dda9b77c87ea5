import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests when a stream reconnects, and when it does not.
final class EventSourceReconnectionTests: EventSourceTestCase {
    /// The waits between connections, in milliseconds.
    private func waits() -> [Int] {
        bench.log.compactMap { line in
            let words = line.split(whereSeparator: { " :".contains($0) })
            return words.firstIndex(of: "in").flatMap { Int(words[$0 + 1]) }
        }
    }

    func testTheDelayGrowsWithEachFailedConnection() throws {
        bench.settings.random = { 0.5 }
        bench.transport.route { _ in .reset }
        _ = try bench.run(until: 200_000)
        XCTAssertEqual(Array(waits().prefix(8)), [3500, 4000, 5000, 7000, 11_000, 18_000, 18_000, 18_000])
    }

    func testACommentResetsTheDelay() throws {
        bench.settings.random = { 0.5 }
        bench.transport.enqueue(.reset, .reset, .events(": hello\n"), .reset, .endless())
        _ = try bench.run()
        XCTAssertEqual(waits(), [3500, 4000, 3500, 4000])
    }

    /// Otherwise it would depend on the pieces in which the server's bytes arrive.
    func testTheEventsAfterAnErrorInTheSamePieceAreAskedForAgain() throws {
        bench.settings.failure = EventFailure.common
        let error = "event: error\ndata: {\"error\":{\"type\":\"overloaded_error\"}}\n\n"
        bench.transport.enqueue(
            .endless("id: 5\ndata: a\n\n\(error)id: 6\ndata: b\n\n"), .endless("id: 6\ndata: b\n\n"))
        _ = try bench.run()
        XCTAssertEqual(bench.lastEventIDs, [nil, "5"])
        XCTAssertEqual(bench.events.map(\.data), ["a", "b"])
    }

    func testAReconnectionTimeOfZeroIsLimitedByTheMinimum() throws {
        bench.settings.random = { 0.5 }
        bench.transport.route { _ in .events("retry: 0\ndata: a\n\n") }
        _ = try bench.run(until: 15_000)
        XCTAssertEqual(bench.transport.requestCount, 101, "at once, and then every 100 ms and half of as much on top")
    }

    func testTheJitterIsProportionalToAShortReconnectionTime() throws {
        bench.settings.random = { 0.5 }
        bench.settings.minimumReconnectionTime = .zero
        bench.transport.enqueue(.events("retry: 100\n\n"), .events(), .events("retry: 0\n\n"), .events(), .endless())
        _ = try bench.run()
        XCTAssertEqual(waits(), [150, 200, 5, 10])
    }

    func testTheJitterSpreadsTheReconnectionsOfManyStreams() throws {
        bench.settings.random = { .random(in: 0..<1) }
        bench.transport.route { _ in .events("data: a\n\n") }
        let subscriptions = try (0..<200).map { _ in bench.follow(try bench.source()) }
        bench.scheduler.advanceTo(2999)
        XCTAssertEqual(bench.transport.requestCount, 200)
        bench.scheduler.advanceTo(3500)
        XCTAssertEqual(Double(bench.transport.requestCount), 300, accuracy: 60)
        for subscription in subscriptions { subscription.dispose() }
        bench.scheduler.start()
    }

    func testWithoutReconnectionTheEndCompletesTheStreamAndAFailureFailsIt() throws {
        bench.settings.reconnection = .never
        bench.transport.enqueue(.events("data: a\n\n"))
        XCTAssertEqual(try bench.run().suffix(3), ["0 a", "0 closed", "0 completed"])
        bench.transport.enqueue(.events("data: a\n\n").chunked().truncated(after: 9))
        XCTAssertEqual(try bench.run().suffix(2), ["60000 closed", "60000 error connection_lost"])
        XCTAssertEqual(bench.transport.requestCount, 2)
    }

    func testAFailedFirstConnectionEndsAStreamThatReconnectsOnceOpen() throws {
        bench.settings.reconnection = .onceOpen
        bench.transport.enqueue(.reset)
        XCTAssertEqual(try bench.run(), ["0 connecting", "0 closed", "0 error connection_lost"])
        bench.transport.enqueue(.events("data: a\n\n"), .reset, .endless("data: b\n\n"))
        XCTAssertTrue(try bench.run(until: 80_000).contains("66000 b"))
    }

    func testAStreamThatReconnectsUntilTheFirstEventDoesNotReconnectAfterIt() throws {
        bench.settings.reconnection = .untilFirstEvent
        bench.transport.enqueue(.reset, .events(": nothing yet\n\n").truncated(after: 3), .events("data: a\n\n"))
        XCTAssertEqual(try bench.run().suffix(3), ["6000 a", "6000 closed", "6000 completed"])
        bench.transport.enqueue(.events("data: a\n\n").chunked().truncated(after: 9))
        XCTAssertEqual(try bench.run().last, "60000 error connection_lost")
        bench.transport.enqueue(.events())
        XCTAssertEqual(try bench.run().last, "60000 completed")
    }

    func testATerminatorCompletesTheStream() throws {
        bench.settings.terminator = "[DONE]"
        bench.transport.enqueue(.endless("data: a\n\ndata: [DONE]\n\ndata: b\n\n"))
        XCTAssertEqual(try bench.run().suffix(3), ["0 a", "0 closed", "0 completed"])
        XCTAssertEqual(bench.transport.abandoned.count, 1)
    }

    func testOnlyTransientErrorsAreRetried() throws {
        for code in HTTPClientError.Code.allCases {
            let isTransient = EventSource.Settings.isTransient(HTTPClientError(code, phase: .preparing, message: ""))
            bench = EventSourceBench()
            bench.transport.enqueue(.failure(HTTPClientError(code, phase: .connecting, message: "")), .endless())
            XCTAssertEqual(try bench.run().last, isTransient ? "3000 open(200)" : "0 error \(code.rawValue)")
        }
    }

    func testAStatusIsRetriedIfTheSettingSaysSoAndA204IsNot() throws {
        bench.settings.isTransient = { ($0 as? HTTPClientError)?.response?.status == .serviceUnavailable }
        bench.transport.enqueue(
            ScriptedResponse(status: .serviceUnavailable), .events("data: a\n\n"), ScriptedResponse(status: .noContent))
        XCTAssertEqual(
            try bench.run(),
            [
                "0 connecting", "0 reconnecting in 3000: status", "3000 connecting", "3000 open(200)", "3000 a",
                "3000 reconnecting in 3000: ended", "6000 connecting", "6000 closed", "6000 completed",
            ])
    }

    func testAStatusIsRetriedNotBeforeItsRetryAfter() throws {
        let values = [
            ("20", 20_000), ("1", 3000), ("90000", 3_600_000), ("Thu, 01 Jan 1970 00:00:30 GMT", 30_000),
        ]
        for (value, delay) in values {
            bench = EventSourceBench()
            bench.settings.isTransient = { _ in true }
            bench.settings.secondsSince1970 = { 0 }
            bench.transport.enqueue(
                ScriptedResponse(status: .tooManyRequests, headers: [.retryAfter: value]),
                ScriptedResponse(status: .noContent))
            XCTAssertEqual(try bench.run()[1], "0 reconnecting in \(delay): status", value)
        }
    }

    func testARetryAfterIsMeasuredByTheClockOfTheServer() throws {
        for error in [-1800.0, 1800] {
            bench = EventSourceBench()
            bench.settings.isTransient = { _ in true }
            bench.settings.secondsSince1970 = { 2e9 + error }
            bench.transport.enqueue(
                ScriptedResponse(
                    status: .serviceUnavailable,
                    headers: [
                        .date: "Wed, 18 May 2033 03:33:20 GMT", .retryAfter: "Wed, 18 May 2033 03:33:30 GMT",
                    ]),
                ScriptedResponse(status: .noContent))
            XCTAssertEqual(try bench.run()[1], "0 reconnecting in 10000: status", "wrong by \(error) s")
        }
    }

    func testAnOpenCircuitAndAFullQueueAreTransient() {
        for code in [HTTPClientError.Code.circuitOpen, .overloaded] {
            XCTAssertTrue(EventSource.Settings.isTransient(HTTPClientError(code, phase: .queued, message: "")))
        }
    }

    func testAResponseThatTimesOutBeforeItBeginsIsRequestedAgain() throws {
        bench.configuration.timeout = .seconds(5)
        bench.transport.enqueue(.silence, .endless("data: a\n\n", "data: b\n\n"))
        XCTAssertEqual(
            try bench.run().suffix(5),
            ["5000 reconnecting in 3000: timeout", "8000 connecting", "8000 open(200)", "8000 a", "8000 b"],
            "and what has begun may take any time")
        XCTAssertEqual(bench.transport.abandoned.count, 2)
    }

    func testSilenceReconnectsAndCommentsPreventIt() throws {
        bench.settings.idleTimeout = .seconds(10)
        bench.transport.enqueue(
            .events("data: a\n\n", ":\n", ":\n", "data: b\n\n").pausing(.seconds(9)).pausing(
                after: 22, until: Barrier()),
            .endless())
        XCTAssertEqual(
            try bench.run(until: 41_000).suffix(4).dropLast(),
            ["27000 b", "37000 reconnecting in 3000: timeout", "40000 connecting"])
    }

    /// The remaining time is less than the timer's unit, so that the timer would be set again and again.
    func testAnIdleTimeoutBelowTheClockResolutionExpires() throws {
        bench.settings.idleTimeout = .microseconds(10_400)
        bench.transport.enqueue(
            .events("data: a\n\n", ":\n").pausing(.milliseconds(5)).pausing(after: 11, until: Barrier()))
        bench.transport.enqueue(.endless())
        XCTAssertEqual(try bench.run(until: 1000).last, "15 reconnecting in 3000: timeout")
    }

    func testAPauseOfTheReaderDoesNotCountAsSilence() throws {
        bench.settings.idleTimeout = .seconds(10)
        bench.transport.enqueue(.events("data: a\n\n", "data: b\n\n", "data: c\n\n").pausing(.seconds(5)))
        let subscription = bench.follow(try bench.source())
        bench.scheduler.advanceTo(6000)
        (subscription as? any Pausable)?.pause()
        bench.scheduler.advanceTo(49_000)
        XCTAssertEqual(bench.events.map(\.data), ["a", "b"], "and nothing is read meanwhile")
        (subscription as? any Pausable)?.resume()
        bench.scheduler.advanceTo(58_000)
        XCTAssertEqual(bench.events.map(\.data), ["a", "b", "c"])
        XCTAssertFalse(bench.log.contains { $0.contains("timeout") })
        subscription.dispose()
        bench.scheduler.start()
    }

    func testTheIdleTimeoutStartsAnewAtTheResume() throws {
        bench.settings.idleTimeout = .seconds(10)
        let pieces = PublishSubject<[UInt8]>()
        bench.transport.enqueue(.streaming(pieces.asObservable(), headers: [.contentType: "text/event-stream"]))
        let subscription = bench.follow(try bench.source())
        bench.scheduler.advanceTo(6000)
        (subscription as? any Pausable)?.pause()
        bench.scheduler.advanceTo(49_000)
        (subscription as? any Pausable)?.resume()
        bench.scheduler.advanceTo(58_000)
        XCTAssertEqual(bench.log, ["0 connecting", "0 open(200)"])
        pieces.onNext(Array("data: a\n\n".utf8))
        bench.scheduler.advanceTo(68_000)
        XCTAssertEqual(bench.log.suffix(2), ["58000 a", "68000 reconnecting in 3000: timeout"])
        subscription.dispose()
        bench.scheduler.start()
    }

    func testAPausedStreamConnectsAgainAtItsResume() throws {
        bench.transport.enqueue(.events("data: a\n\n"), .endless("data: b\n\n"))
        let subscription = bench.follow(try bench.source())
        (subscription as? any Pausable)?.pause()
        bench.scheduler.advanceTo(10_000)
        XCTAssertEqual(bench.transport.requestCount, 1)
        (subscription as? any Pausable)?.resume()
        XCTAssertEqual(bench.transport.requestCount, 2)
        XCTAssertEqual(bench.log.suffix(3), ["10000 connecting", "10000 open(200)", "10000 b"])
        subscription.dispose()
        bench.scheduler.start()
    }

    func testAStreamThatResumesBeforeItsDelayIsOverWaitsForTheRest() throws {
        bench.transport.enqueue(.events("data: a\n\n"), .endless("data: b\n\n"))
        let subscription = bench.follow(try bench.source())
        (subscription as? any Pausable)?.pause()
        bench.scheduler.advanceTo(1000)
        (subscription as? any Pausable)?.resume()
        XCTAssertEqual(bench.transport.requestCount, 1)
        bench.scheduler.advanceTo(3000)
        XCTAssertEqual(bench.log.last, "3000 b")
        subscription.dispose()
        bench.scheduler.start()
    }

    func testADisposalEndsAStreamInEveryPhase() throws {
        bench.settings.idleTimeout = .seconds(100)
        for (time, left) in [(500, 1), (1500, 1), (2500, 0), (5000, 1)] {
            bench = EventSourceBench()
            bench.settings.idleTimeout = .seconds(100)
            bench.transport.enqueue(
                .events("data: a\n\n", "data: b\n\n").pausing(.seconds(1)).after(.seconds(1)), .silence)
            let subscription = bench.follow(try bench.source())
            bench.scheduler.advanceTo(time)
            let requests = bench.transport.requestCount
            subscription.dispose()
            XCTAssertEqual(bench.transport.abandoned.count, left, "at \(time)")
            bench.scheduler.start()
            XCTAssertEqual(bench.scheduler.clock, time, "no timer is left at \(time)")
            XCTAssertEqual(bench.transport.requestCount, requests)
        }
    }

    func testTheErrorOfAReconnectionNamesTheRequestWhoseStatusWasRefused() throws {
        bench.settings.reconnection = .always
        bench.settings.isTransient = { _ in true }
        for type in ["application/json", "text/html"] {
            bench.transport.enqueue(
                ScriptedResponse(status: .serviceUnavailable, headers: [.contentType: type], body: "{}"))
            let errors = Locked<[HTTPClientError]>([])
            let subscription = try bench.source().signals.subscribe { event in
                guard case .next(.reconnecting(_, .failed(let error as HTTPClientError))) = event else { return }
                errors.withLock { $0.append(error) }
            }
            bench.scheduler.advanceBy(10)
            subscription.dispose()
            bench.scheduler.start()
            let error = try XCTUnwrap(errors.withLock { $0.first })
            XCTAssertEqual([error.code.rawValue, error.method?.rawValue, error.path], ["status", "GET", "/events"])
            XCTAssertEqual(error.origin, "http://a")
        }
    }

    func testConnectionsThatEndWithoutAnErrorDoNotCountTowardsTheRetryLimit() throws {
        bench.settings.retryLimit = 2
        bench.transport.enqueue(.events(), .events(), .events(), .reset, .events(), .reset, .reset)
        XCTAssertEqual(try bench.run(until: 200_000).last?.split(separator: " ").last, "connection_lost")
        XCTAssertEqual(bench.transport.requestCount, 7)
    }
}
