import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests subscribers that pause, or leave, at an event whose piece of the response holds more events.
final class PausedPieceTests: EventSourceTestCase {
    private let numbers = Array(1...300)
    private let subscription = SerialDisposable()
    private let seen = Locked<[Int]>([])

    override func setUp() {
        super.setUp()
        let body = numbers.map { "data: \($0)\n\n" }.joined()
        bench.transport.route { _ in
            ScriptedResponse(headers: [.contentType: "text/event-stream"], body: body).after(.milliseconds(10))
        }
        bench.settings.reconnection = .never
    }

    override func tearDown() {
        subscription.dispose()
        bench.scheduler.start()
        super.tearDown()
    }

    /// Counts the elements, and pauses at the first.
    private func pauseAtTheFirst<Element>(of stream: Observable<Element>) {
        subscription.disposable = stream.subscribe(onNext: { [seen, subscription] _ in
            let count = seen.withLock { seen in
                seen.append(seen.count)
                return seen.count
            }
            if count == 1 { subscription.pause() }
        })
        bench.scheduler.advanceTo(bench.scheduler.clock + 1000)
    }

    func testAStreamThatIsPausedAtAnEventDeliversTheNextOneAtItsResume() throws {
        let source = try bench.source()
        let request = try Request(.get, "http://a/")
        let responses = bench.client.events(request)
        let streams: [(String, Observable<Void>, Int)] = [
            ("source", source.map { _ in }, 300),
            // One more for each state: connecting, open and closed.
            ("signals", source.signals.map { _ in }, 303),
            ("serverSentEvents", responses.serverSentEvents().map { _ in }, 300),
            ("lines", responses.lines().map { _ in }, 600),
            ("jsonLines", responses.jsonLines(of: Int.self).map { _ in }, 300),
        ]
        for (name, stream, count) in streams {
            seen.withLock { $0 = [] }
            pauseAtTheFirst(of: stream)
            XCTAssertEqual(seen.withLock { $0.count }, 1, name)
            subscription.resume()
            bench.scheduler.start()
            XCTAssertEqual(seen.withLock { $0.count }, count, name)
            subscription.disposable = Disposables.create()
        }
    }

    func testWorkForEachEventEndsSoonAfterTheStop() throws {
        let stop = PublishSubject<Void>()
        let scheduler = bench.scheduler
        let done = Locked<Int?>(nil)
        subscription.disposable = try bench.source().take(until: stop)
            .concatMapEager(maxConcurrent: 4) { event in
                Observable<Int>.timer(.milliseconds(100), scheduler: scheduler).map { _ in event.data }
            }
            .subscribe(
                onNext: { [seen] data in seen.withLock { $0.append(Int(data) ?? 0) } },
                onCompleted: { done.withLock { $0 = scheduler.clock } })
        scheduler.advanceTo(1050)
        stop.onNext(())
        scheduler.advanceTo(1200)
        let last = try XCTUnwrap(done.withLock { $0 }, "the stream still works")
        XCTAssertLessThanOrEqual(last, 1150)
        let count = seen.withLock { $0.count }
        XCTAssertEqual(seen.withLock { $0 }, Array(1...count))
    }

    /// Pauses at the event with a number, and records what follows.
    private func follow(_ source: EventSource, pausingAt number: Int) -> TestableObserver<String> {
        let observer = bench.scheduler.createObserver(String.self)
        subscription.disposable = source.map(\.data).subscribe { [subscription] event in
            observer.on(event)
            if event.element == "\(number)" { subscription.pause() }
        }
        return observer
    }

    private func respond(_ first: ScriptedResponse, _ rest: ScriptedResponse...) {
        bench.transport.enqueue(first.after(.milliseconds(10)))
        for response in rest { bench.transport.enqueue(response) }
    }

    func testTheEndFollowsTheEventsThatWait() throws {
        for (number, expected) in [(1, ["1"]), (3, ["1", "2", "3"])] {
            respond(.events("data: 1\n\ndata: 2\n\ndata: 3\n\n"))
            let recorder = try follow(bench.source(), pausingAt: number)
            bench.scheduler.advanceTo(bench.scheduler.clock + 1000)
            XCTAssertEqual(recorder.events.elements, expected)
            subscription.resume()
            XCTAssertEqual(recorder.events.map(\.value), ["1", "2", "3"].map { .next($0) } + [.completed])
        }
    }

    func testATerminatorEndsTheConnectionDuringAPause() throws {
        bench.settings = .response(terminator: "3")
        respond(.endless("data: 1\n\ndata: 2\n\ndata: 3\n\n"))
        let recorder = try follow(bench.source(), pausingAt: 1)
        bench.scheduler.advanceTo(bench.scheduler.clock + 1000)
        XCTAssertEqual(bench.transport.abandoned.count, 1, "the connection is free for others")
        subscription.resume()
        XCTAssertEqual(recorder.events.map(\.value), [.next("1"), .next("2"), .completed])
    }

    func testTheTimeForTheHeldEventsIsNoSilenceOfTheServer() throws {
        bench.settings.idleTimeout = .seconds(1)
        respond(.endless("data: 1\n\ndata: 2\n\ndata: 3\n\n"))
        let recorder = bench.scheduler.createObserver(String.self)
        subscription.disposable = try bench.source().map(\.data).subscribe { [subscription, bench] event in
            recorder.on(event)
            if event.element == "1" { subscription.pause() }
            if event.element == "2" { bench!.scheduler.advanceTo(bench!.scheduler.clock + 3000) }
        }
        bench.scheduler.advanceTo(20)
        subscription.resume()
        bench.scheduler.advanceTo(bench.scheduler.clock + 900)
        XCTAssertEqual(recorder.events.map(\.value), ["1", "2", "3"].map { .next($0) })
    }
}
