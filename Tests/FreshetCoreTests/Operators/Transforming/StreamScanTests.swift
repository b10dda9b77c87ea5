import FreshetCore
import XCTest

/// Tests `switchScan` and `mergeScan`.
final class StreamScanTests: CoreTestCase {
    private let source = ControlledSource<Int>()
    private let inputs = (0..<3).map { _ in ControlledSource<Int>() }
    private let calls = Log<[Int]>()

    private func accumulated(maxConcurrent: Int) -> Observable<Int> {
        source.stream.mergeScan(10, maxConcurrent: maxConcurrent) { [calls, inputs] state, number in
            calls.append([state, number])
            return inputs[number].stream
        }
    }

    func testTheStateIsTheLatestElementOfAnyStream() {
        let recorder = Recorder<Int>()
        let subscription = accumulated(maxConcurrent: .max).subscribe(recorder)
        source.send(0)
        inputs[0].send(20)
        source.send(1)
        inputs[1].send(30)
        inputs[0].send(40)
        source.send(2)
        XCTAssertEqual(calls.all, [[10, 0], [20, 1], [40, 2]])
        XCTAssertEqual(recorder.elements, [20, 30, 40])
        for input in [source] + inputs { input.complete() }
        XCTAssertTrue(recorder.hasCompleted)
        subscription.dispose()
    }

    func testAWaitingStreamStartsWithTheLatestState() {
        let subscription = accumulated(maxConcurrent: 1).subscribe()
        source.send(0, 1)
        XCTAssertEqual(calls.all, [[10, 0]])
        XCTAssertEqual(source.log.last, "pause")
        inputs[0].send(20, 21)
        inputs[0].complete()
        XCTAssertEqual(calls.all, [[10, 0], [21, 1]])
        subscription.dispose()
    }

    func testMergeScanStartsNoStreamDuringAPause() {
        let subscription = SerialDisposable()
        subscription.disposable = accumulated(maxConcurrent: 2).subscribe(Recorder())
        source.send(0)
        subscription.pause()
        source.send(1)
        XCTAssertEqual(calls.all, [[10, 0]])
        inputs[0].send(20)
        subscription.resume()
        XCTAssertEqual(calls.all, [[10, 0], [20, 1]])
        subscription.dispose()
    }

    func testTheSeedIsNeverEmitted() {
        let silent = Observable.of(1, 2)
        XCTAssertEqual(silent.mergeScan(7) { _, _ in Observable<Int>.empty() }.record().events, [.completed])
        XCTAssertEqual(silent.switchScan(7) { _, _ in Observable<Int>.empty() }.record().events, [.completed])
        XCTAssertEqual(Observable<Int>.empty().mergeScan(7) { Observable.just($0 + $1) }.record().events, [.completed])
    }

    func testEachSubscriptionStartsWithTheSeed() {
        let merged = Observable.of(1, 2, 3).mergeScan(0) { Observable.just($0 + $1) }
        let switched = Observable.of(1, 2, 3).switchScan(0) { Observable.just($0 + $1) }
        for stream in [merged, merged, switched, switched] { XCTAssertEqual(stream.record().elements, [1, 3, 6]) }
    }

    func testASwitchedStreamStartsWithTheLastElementOfThePreviousOne() {
        let recorder = Recorder<Int>()
        let subscription = source.stream.switchScan(10) { [calls, inputs] state, number in
            calls.append([state, number])
            return inputs[number].stream
        }.subscribe(recorder)
        source.send(0)
        inputs[0].send(20)
        source.send(1)
        XCTAssertEqual(inputs.map(\.observers), [0, 1, 0])
        inputs[0].send(99)
        source.send(2)
        XCTAssertEqual(calls.all, [[10, 0], [20, 1], [20, 2]])
        source.complete()
        inputs[2].send(30)
        inputs[2].complete()
        XCTAssertEqual(recorder.events, [.next(20), .next(30), .completed])
        subscription.dispose()
    }

    func testAnErrorOfAStreamEndsEverything() {
        let recorder = Recorder<Int>()
        let subscription = accumulated(maxConcurrent: 2).subscribe(recorder)
        source.send(0, 1)
        inputs[1].fail()
        XCTAssertEqual(recorder.events, [.error(Fault.first)])
        XCTAssertEqual(([source] + inputs).map(\.observers), [0, 0, 0, 0])
        subscription.dispose()
    }

    func testManyElementsDoNotDeepenTheStack() {
        onASmallStack {
            let numbers = Observable.from(0..<20_000)
            for limit in [1, .max] {
                let stream = numbers.mergeScan(0, maxConcurrent: limit) { Observable.just(max($0, $1)) }
                XCTAssertEqual(stream.takeLast(1).record().elements, [19_999])
            }
        }
    }
}
