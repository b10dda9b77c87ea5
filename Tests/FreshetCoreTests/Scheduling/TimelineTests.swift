import FreshetCore
import XCTest

final class TimelineTests: CoreTestCase {
    private final class Clock: TimerBackend {
        var now = Instant(sinceStart: .zero)
        var armed: Instant?
        var arms = 0

        func arm(at due: Instant) {
            armed = due
            arms += 1
        }

        func disarm() { armed = nil }
    }

    private let clock = Clock()
    private lazy var timeline = Timeline(backend: clock)

    /// Advances the clock and runs the work that is due, as a timer that fires once.
    private func fire(at seconds: Int) {
        clock.now = instant(seconds)
        clock.armed = nil
        timeline.runDue()
    }

    private func instant(_ seconds: Int) -> Instant { Instant(sinceStart: .seconds(seconds)) }

    func testWorkRunsByDueTimeAndThenInTheOrderOfInsertion() {
        var log: [String] = []
        for (due, name) in [(3, "c"), (1, "a"), (2, "b"), (1, "a2"), (3, "c2")] {
            _ = timeline.insert(at: instant(due)) { log.append(name) }
        }
        fire(at: 2)
        XCTAssertEqual(log, ["a", "a2", "b"])
        XCTAssertEqual(clock.armed, instant(3))
        fire(at: 9)
        XCTAssertEqual(log, ["a", "a2", "b", "c", "c2"])
        XCTAssertNil(clock.armed)
        XCTAssertTrue(timeline.dues.isEmpty)
    }

    func testARemovedItemDoesNotRun() {
        var log: [Int] = []
        let items = (0..<1000).map { number in timeline.insert(at: instant(number)) { log.append(number) } }
        for (number, item) in items.enumerated() where number != 500 { timeline.remove(item) }
        XCTAssertEqual(timeline.dues.count, 1)
        timeline.remove(items[0])
        fire(at: 2000)
        XCTAssertEqual(log, [500])
        timeline.remove(items[500])
        XCTAssertTrue(timeline.dues.isEmpty)
    }

    func testTheTimerIsArmedOnlyWhenTheEarliestItemChanges() {
        let early = timeline.insert(at: instant(5)) {}
        _ = timeline.insert(at: instant(7)) {}
        XCTAssertEqual(clock.arms, 1)
        timeline.remove(early)
        XCTAssertEqual(clock.armed, instant(7))
        XCTAssertEqual(clock.arms, 2)
    }

    func testWorkThatInsertsAndCancelsKeepsTheOrder() {
        var log: [String] = []
        let victim = timeline.insert(at: instant(2)) { log.append("victim") }
        _ = timeline.insert(at: instant(1)) { [self] in
            log.append("first")
            timeline.remove(victim)
            _ = timeline.insert(at: instant(1)) { log.append("now") }
            _ = timeline.insert(at: instant(9)) { log.append("later") }
        }
        fire(at: 3)
        XCTAssertEqual(log, ["first"])
        XCTAssertEqual(clock.armed, instant(1), "the work waits for the next turn, which comes at once")
        fire(at: 3)
        XCTAssertEqual(log, ["first", "now"])
        XCTAssertEqual(timeline.nextDue, instant(9))
    }

    func testWorkThatBecomesDueDuringAPassWaitsForTheNext() {
        var log: [String] = []
        _ = timeline.insert(at: instant(1)) { [self] in
            log.append("slow")
            clock.now = instant(5)
        }
        _ = timeline.insert(at: instant(1)) { log.append("of the same time") }
        _ = timeline.insert(at: instant(2)) { log.append("due meanwhile") }
        fire(at: 1)
        XCTAssertEqual(log, ["slow", "of the same time"])
        fire(at: 5)
        XCTAssertEqual(log.last, "due meanwhile")
    }

    func testAPassArmsTheTimerOnceHoweverMuchItsWorkChanges() {
        for _ in 0..<3 {
            _ = timeline.insert(at: instant(1)) { [self] in _ = timeline.insert(at: instant(9)) {} }
        }
        let arms = clock.arms
        fire(at: 2)
        XCTAssertEqual(clock.arms, arms + 1)
        XCTAssertEqual(clock.armed, instant(9))
    }

    func testWorkRunsSortedAfterAnyInsertionsAndRemovals() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            let timeline = Timeline(backend: clock)
            var log: [Int] = [], expected: [Int] = []
            for _ in 0..<100 {
                let due = Int.random(in: 0..<50, using: &random)
                let item = timeline.insert(at: instant(due)) { log.append(due) }
                if Bool.random(using: &random) { timeline.remove(item) } else { expected.append(due) }
            }
            while !timeline.dues.isEmpty { timeline.runNext() }
            XCTAssertEqual(log, expected.sorted())
        }
    }
}
