import FreshetCore
import XCTest

final class AmbTests: CoreTestCase {
    func testTheFirstSourceToEmitWinsAndTheOthersAreDisposedOf() {
        let sources = (0..<3).map { _ in ControlledSource<Int>() }
        let recorder = Recorder<Int>()
        let subscription = Observable.amb(sources.map(\.stream)).subscribe(recorder)
        sources[1].send(1)
        XCTAssertEqual(sources.map(\.observers), [0, 1, 0])
        sources[0].send(0)
        sources[1].send(2)
        sources[1].complete()
        XCTAssertEqual(recorder.events, [.next(1), .next(2), .completed])
        subscription.dispose()
    }

    func testAnErrorOrACompletionWins() {
        let source = ControlledSource<Int>()
        XCTAssertEqual(source.stream.amb(Observable.error(Fault.first)).record().events, [.error(Fault.first)])
        XCTAssertEqual(source.stream.amb(Observable.empty()).record().events, [.completed])
        XCTAssertEqual(source.observers, 0)
    }

    func testASynchronousWinnerLeavesTheOthersUnsubscribed() {
        let source = ControlledSource<Int>()
        XCTAssertEqual(Observable.just(1).amb(source.stream).record().events, [.next(1), .completed])
        XCTAssertEqual(source.subscriptions, 0)
        XCTAssertEqual(Observable<Int>.amb([]).record().events, [])
    }

    func testOnlyOneOfEightThreadsWins() {
        let sources = (0..<8).map { _ in ControlledSource<Int>() }
        let recorder = Recorder<Int>()
        let subscription = Observable.amb(sources.map(\.stream)).subscribe(recorder)
        onThreads(8) { number in
            for _ in 0..<200 { sources[number].send(number) }
            sources[number].complete()
        }
        XCTAssertEqual(Set(recorder.elements).count, 1)
        XCTAssertEqual(recorder.elements.count, 200)
        XCTAssertTrue(recorder.hasCompleted)
        subscription.dispose()
    }
}
