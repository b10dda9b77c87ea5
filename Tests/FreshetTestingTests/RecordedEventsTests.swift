import FreshetCore
import FreshetTesting
import XCTest

final class RecordedEventsTests: XCTestCase {
    private struct Failure: Error {}

    func testARecordingReturnsItsElementsAndItsStopEvent() {
        let events = Recorded.events(.next(210, 1), .next(220, 2), .completed(230))
        XCTAssertEqual(events.elements, [1, 2])
        XCTAssertEqual(events.stopEvent, .completed(230))
        XCTAssertNil(events.dropLast().stopEvent)
        let failed: [Recorded<Event<String>>] = [.next(1, "a"), .error(2, Failure())]
        XCTAssertEqual(failed.elements, ["a"])
        XCTAssertEqual(failed.stopEvent, .error(2, Failure(), String.self))
    }

    func testATestObserverReturnsItsElementsAndItsStopEvent() {
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.start { scheduler.createColdObservable([.next(10, "a"), .completed(20)]) }
        XCTAssertEqual(observer.elements, ["a"])
        XCTAssertEqual(observer.stopEvent, .completed(220))
    }

    func testEventsOfOptionalElementsAreComparedByTheirContent() {
        let events: [Recorded<Event<Int?>>] = [.next(1, nil), .next(2, 1), .completed(3)]
        XCTAssertEqual(events, Recorded.events([.next(1, nil), .next(2, 1), .completed(3)]))
        XCTAssertNotEqual(events, [.next(1, 1), .next(2, 1), .completed(3)])
        XCTAssertEqual([Event<Int>.error(Failure())], [.error(Failure())])
    }

    func testTheConverterCountsInUnitsOfTheResolution() {
        let converter = TestSchedulerVirtualTimeConverter(resolution: 0.1)
        XCTAssertEqual(converter.convertToVirtualTime(Instant(sinceStart: .milliseconds(1260))), 13)
        XCTAssertEqual(converter.convertToVirtualTimeInterval(0.5), 5)
        XCTAssertEqual(converter.convertFromVirtualTimeInterval(5), 0.5)
        XCTAssertEqual(converter.offsetVirtualTime(3, offset: 4), 7)
        XCTAssertEqual(converter.compareVirtualTime(1, 2), .lessThan)
        XCTAssertGreaterThan(converter.convertToVirtualTime(Instant(sinceStart: .never)), Int(Int32.max))
        for time in [-7, 0, 1, 123_456_789, 1 << 52] {
            XCTAssertEqual(converter.convertToVirtualTime(converter.convertFromVirtualTime(time)), time)
        }
    }

    func testATestSchedulerIsAVirtualTimeScheduler() {
        let scheduler: VirtualTimeScheduler<TestSchedulerVirtualTimeConverter> = TestScheduler(initialClock: 5)
        XCTAssertEqual(scheduler.clock, 5)
        XCTAssertEqual(scheduler.adjustScheduledTime(5), 6)
        XCTAssertEqual(scheduler.adjustScheduledTime(7), 7)
    }

    func testWorkThatIsNeverDueDoesNotOverflowTheClock() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 1e-12)
        _ = scheduler.scheduleRelative((), dueTime: .never) { _ in Disposables.create() }
        scheduler.start()
        _ = scheduler.scheduleRelative((), dueTime: .seconds(1)) { _ in Disposables.create() }
        scheduler.start()
        XCTAssertGreaterThan(scheduler.clock, 1 << 59)
    }
}
