import FreshetCore
import FreshetEvents
import FreshetHTTPTesting
import XCTest

/// Tests closures of the settings that dispose of the stream that calls them.
final class ReentrantSettingsTests: EventSourceTestCase {
    private func run(until stop: PublishSubject<Void>, _ body: String) throws -> [String] {
        bench.transport.enqueue(.endless(body))
        let log = Locked<[String]>([])
        _ = try bench.source().take(until: stop).subscribe { event in
            let text = event.element?.data ?? (event.error == nil ? "completed" : "error")
            log.withLock { $0.append(text) }
        }
        bench.scheduler.advanceTo(5)
        XCTAssertEqual(bench.transport.abandoned.count, 1)
        return log.withLock { $0 }
    }

    func testAStreamCanBeDisposedOfWhileAnEventIsExamined() throws {
        let stop = PublishSubject<Void>()
        bench.settings.failure = { event in
            if event.type == "bye" { stop.onNext(()) }
            return nil
        }
        XCTAssertEqual(try run(until: stop, "data: a\n\nevent: bye\ndata: b\n\n"), ["completed"])
    }

    func testAStreamCanBeDisposedOfWhileAnErrorIsExamined() throws {
        let stop = PublishSubject<Void>()
        bench.settings.maximumEventSize = 3
        bench.settings.isTransient = { _ in
            stop.onNext(())
            return false
        }
        XCTAssertEqual(try run(until: stop, "data: abcdefgh\n\n"), ["completed"])
    }

    func testAStreamCanBeDisposedOfWhileItsDelayIsComputed() throws {
        let stop = PublishSubject<Void>()
        bench.settings.maximumEventSize = 3
        bench.settings.isTransient = { _ in true }
        bench.settings.random = {
            stop.onNext(())
            return 0
        }
        XCTAssertEqual(try run(until: stop, "data: abcdefgh\n\n"), ["completed"])
    }
}
