import FreshetCore
import XCTest

final class AmbTests: CoreTestCase {
    func testTheFirstSourceToEmitWinsAndTheOthersAreDisposedOf() {
        let wires = (0..<3).map { _ in Wire<Int>() }
        let recorder = Recorder<Int>()
        let subscription = Observable.amb(wires.map(\.stream)).subscribe(recorder)
        wires[1].send(1)
        XCTAssertEqual(wires.map(\.observers), [0, 1, 0])
        wires[0].send(0)
        wires[1].send(2)
        wires[1].complete()
        XCTAssertEqual(recorder.events, [.next(1), .next(2), .completed])
        subscription.dispose()
    }

    func testAnErrorOrACompletionWins() {
        let wire = Wire<Int>()
        XCTAssertEqual(wire.stream.amb(Observable.error(Fault.first)).record().events, [.error(Fault.first)])
        XCTAssertEqual(wire.stream.amb(Observable.empty()).record().events, [.completed])
        XCTAssertEqual(wire.observers, 0)
    }

    func testASynchronousWinnerLeavesTheOthersUnsubscribed() {
        let wire = Wire<Int>()
        XCTAssertEqual(Observable.just(1).amb(wire.stream).record().events, [.next(1), .completed])
        XCTAssertEqual(wire.subscriptions, 0)
        XCTAssertEqual(Observable<Int>.amb([]).record().events, [])
    }

    func testOnlyOneOfEightThreadsWins() {
        let wires = (0..<8).map { _ in Wire<Int>() }
        let recorder = Recorder<Int>()
        let subscription = Observable.amb(wires.map(\.stream)).subscribe(recorder)
        onThreads(8) { number in
            for _ in 0..<200 { wires[number].send(number) }
            wires[number].complete()
        }
        XCTAssertEqual(Set(recorder.elements).count, 1)
        XCTAssertEqual(recorder.elements.count, 200)
        XCTAssertTrue(recorder.hasCompleted)
        subscription.dispose()
    }
}
