import FreshetCore
import XCTest

final class CombineLatestTests: CoreTestCase {
    func testAResultIsEmittedPerElementOnceAllSourcesHaveEmitted() {
        let a = ControlledSource<Int>(), b = ControlledSource<String>()
        let recorder = Recorder<String>()
        let subscription = Observable.combineLatest(a.stream, b.stream) { "\($0)\($1)" }.subscribe(recorder)
        a.send(1, 2)
        b.send("a", "b")
        a.complete()
        b.send("c")
        b.complete()
        XCTAssertEqual(recorder.events, [.next("2a"), .next("2b"), .next("2c"), .completed])
        subscription.dispose()
    }

    func testCombineLatestCompletesWhenNoFurtherResultIsPossible() {
        let a = ControlledSource<Int>(), b = ControlledSource<Int>()
        let recorder = Recorder<Int>()
        let subscription = Observable.combineLatest(a.stream, b.stream) { $0 + $1 }.subscribe(recorder)
        a.complete()
        XCTAssertEqual(recorder.events, [])
        b.send(1)
        XCTAssertEqual(recorder.events, [.completed])
        XCTAssertEqual(b.observers, 0)
        subscription.dispose()
    }

    func testAnErrorDisposesOfAllSources() {
        let a = ControlledSource<Int>(), b = ControlledSource<Int>()
        let recorder = Recorder<Int>()
        let subscription = Observable.combineLatest(a.stream, b.stream) { _, _ in throw Fault.first }
            .subscribe(recorder)
        a.send(1)
        b.send(1)
        XCTAssertEqual(recorder.events, [.error(Fault.first)])
        XCTAssertEqual([a.observers, b.observers], [0, 0])
        subscription.dispose()
        let failing = Observable.combineLatest(a.stream, Observable<Int>.error(Fault.second)) { $0 + $1 }.record()
        XCTAssertEqual(failing.events, [.error(Fault.second)])
        XCTAssertEqual(a.observers, 0)
    }

    func testEightSourcesOfDifferentTypesAreCombined() {
        let tuple = Observable.combineLatest(
            Observable.just(1), Observable.just("2"), Observable.just(3.0), Observable.just(true),
            Observable.just([5]), Observable.just(6 as Int8), Observable.just("7" as Character),
            Observable.just(8 as UInt))
        XCTAssertEqual("\(tuple.record().elements)", #"[(1, "2", 3.0, true, [5], 6, "7", 8)]"#)
        let one = Observable.just(1)
        let sum = Observable.combineLatest(one, one, one, one, one, one, one, one) {
            $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7
        }
        XCTAssertEqual(sum.record().events, [.next(8), .completed])
    }

    func testACollectionOfSourcesIsCombinedOrZipped() {
        let streams = [Observable.of(1, 2), .of(10, 20)]
        XCTAssertEqual(Observable.combineLatest(streams).record().elements, [[1, 10], [2, 10], [2, 20]])
        XCTAssertEqual(Observable<Int>.combineLatest([Observable<Int>]()).record().events, [.next([]), .completed])
        XCTAssertEqual(Observable.zip(streams).record().events, [.next([1, 10]), .next([2, 20]), .completed])
        XCTAssertEqual(Observable.zip(streams) { $0.reduce(0, +) }.record().elements, [11, 22])
    }

    func testAnElementSentInsideAResultIsCombinedAfterIt() {
        let a = ControlledSource<Int>(), b = ControlledSource<Int>()
        let recorder = Recorder<Int> { if $0.element == 11 { b.send(20) } }
        let subscription = Observable.combineLatest(a.stream, b.stream) { $0 + $1 }.subscribe(recorder)
        a.send(1)
        b.send(10)
        XCTAssertEqual(recorder.elements, [11, 21])
        XCTAssertEqual(recorder.overlaps, 0)
        subscription.dispose()
    }

    func testElementsOfEightThreadsAreCombinedSerially() {
        let sources = (0..<8).map { _ in ControlledSource<Int>() }
        let recorder = Recorder<[Int]>()
        let subscription = Observable.combineLatest(sources.map(\.stream)).subscribe(recorder)
        for source in sources { source.send(0) }
        onThreads(8) { number in
            for element in 1...500 { sources[number].send(element) }
            sources[number].complete()
        }
        XCTAssertEqual(recorder.overlaps, 0)
        XCTAssertEqual(recorder.elements.count, 1 + 8 * 500)
        XCTAssertEqual(recorder.elements.last, Array(repeating: 500, count: 8))
        XCTAssertTrue(recorder.hasCompleted)
        subscription.dispose()
    }

    func testZipPairsInOrderAndCompletesWhenAllSourcesHave() {
        let a = ControlledSource<Int>(), b = ControlledSource<String>()
        let recorder = Recorder<String>()
        let subscription = Observable.zip(a.stream, b.stream) { "\($0)\($1)" }.subscribe(recorder)
        a.send(1, 2, 3)
        b.send("a", "b")
        XCTAssertEqual(recorder.elements, ["1a", "2b"])
        a.complete()
        b.send("c")
        XCTAssertEqual(recorder.elements, ["1a", "2b", "3c"])
        b.send("d")
        XCTAssertFalse(recorder.hasCompleted)
        b.complete()
        XCTAssertTrue(recorder.hasCompleted)
        subscription.dispose()
    }

    func testElementsOfEightThreadsAreZippedSerially() {
        let sources = (0..<8).map { _ in ControlledSource<Int>() }
        let recorder = Recorder<[Int]>()
        let subscription = Observable.zip(sources.map(\.stream)).subscribe(recorder)
        onThreads(8) { number in
            for element in 0..<500 { sources[number].send(element) }
            sources[number].complete()
        }
        XCTAssertEqual(recorder.overlaps, 0)
        XCTAssertEqual(recorder.elements, (0..<500).map { Array(repeating: $0, count: 8) })
        XCTAssertTrue(recorder.hasCompleted)
        subscription.dispose()
    }

    func testWithLatestFromUsesTheLatestElementOfTheOtherSource() {
        let a = ControlledSource<Int>(), b = ControlledSource<String>()
        let recorder = Recorder<String>()
        let subscription = a.stream.withLatestFrom(b.stream) { "\($0)\($1)" }.subscribe(recorder)
        a.send(1)
        b.send("a", "b")
        a.send(2)
        b.complete()
        a.send(3)
        a.complete()
        XCTAssertEqual(recorder.events, [.next("2b"), .next("3b"), .completed])
        XCTAssertEqual(Observable.just(1).withLatestFrom(Observable.just("x")).record().elements, ["x"])
        subscription.dispose()
    }

    func testAPauseReachesAllSources() {
        let a = ControlledSource<Int>(), b = ControlledSource<Int>()
        let subscription = SerialDisposable()
        for stream in [Observable.combineLatest(a.stream, b.stream) { $0 + $1 }, a.stream.withLatestFrom(b.stream)] {
            subscription.disposable = stream.subscribe(Recorder<Int>())
            subscription.pause()
            subscription.resume()
        }
        subscription.dispose()
        XCTAssertEqual(a.log, ["pause", "resume", "dispose", "pause", "resume", "dispose"])
        XCTAssertEqual(b.log, a.log)
    }
}
