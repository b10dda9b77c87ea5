import FreshetCore
import FreshetTesting
import XCTest

final class MarbleOperatorTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    private let lines = Log<String>()

    private func marbles(of text: String, unit: Int = 1, disposed: TestTime = 1000) -> [String] {
        let source = scheduler.createHotObservable(Marble.events(text, from: 200))
        let result = scheduler.start(disposed: disposed) { [scheduler, lines] in
            source.marble(.seconds(unit), scheduler: scheduler) { lines.append($0) }
        }
        let seen = Marble.events(text, from: 200).filter { $0.time < disposed }
        XCTAssertEqual(result.events, seen)
        return lines.all
    }

    func testTheCompletionReportsTheMarbleLine() {
        XCTAssertEqual(marbles(of: "-a--(bc)--|"), ["-a--(bc)--|"])
    }

    func testAnErrorReportsTheMarbleLine() {
        XCTAssertEqual(marbles(of: "-a-'two words'#"), ["-a-'two words'#"])
    }

    func testADisposalReportsTheMarbleLineSoFar() {
        XCTAssertEqual(marbles(of: "-a--b--c|", disposed: 206), ["-a--b-"])
    }

    func testAColumnLastsOneUnit() {
        XCTAssertEqual(marbles(of: "-a-b-----c|", unit: 3), ["ab-(c|)"])
    }

    func testEachSubscriptionReportsItsOwnLine() {
        let stream = Observable.just(7).marble(.seconds(1), scheduler: scheduler) { [lines] in lines.append($0) }
        _ = stream.record()
        _ = stream.take(1).record()
        XCTAssertEqual(lines.all, ["(7|)", "7"])
    }

    func testAnEventStandsBehindTheEarlierOnesWhenTheClockGoesBack() {
        let subject = PublishSubject<String>()
        let subscription = subject.marble(.seconds(1), scheduler: scheduler) { [lines] in lines.append($0) }.subscribe()
        scheduler.advanceTo(3)
        subject.onNext("a")
        scheduler.advanceTo(1)
        subject.onNext("b")
        subject.onCompleted()
        XCTAssertEqual(lines.all, ["---(ab|)"])
        subscription.dispose()
    }

    func testAUnitFarBelowTheTimesOfTheEventsDoesNotOverflow() {
        let stream = Observable<Int>.timer(.seconds(20), scheduler: scheduler)
            .marble(Duration(attoseconds: 1), scheduler: scheduler) { [lines] in lines.append($0) }
        let subscription = stream.subscribe()
        scheduler.advanceTo(21)
        XCTAssertEqual(lines.all, ["<\(Int.max - 1)>(0|)"])
        subscription.dispose()
    }
}
