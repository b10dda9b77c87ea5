import FreshetCore
import XCTest

final class ConcatMapEagerTests: CoreTestCase {
    private let sources = (0..<4).map { _ in ControlledSource<Int>() }

    private func stream(of outer: ControlledSource<Int>, maxConcurrent: Int) -> Observable<Int> {
        outer.stream.concatMapEager(maxConcurrent: maxConcurrent) { [sources] in sources[$0].stream }
    }

    func testStreamsRunConcurrentlyAndEmitInOrder() {
        let outer = ControlledSource<Int>()
        let recorder = Recorder<Int>()
        let subscription = stream(of: outer, maxConcurrent: 3).subscribe(recorder)
        outer.send(0, 1, 2)
        XCTAssertEqual(sources.map(\.observers), [1, 1, 1, 0])
        sources[1].send(10, 11)
        sources[1].complete()
        sources[2].send(20)
        sources[0].send(0)
        XCTAssertEqual(recorder.elements, [0])
        sources[0].complete()
        XCTAssertEqual(recorder.elements, [0, 10, 11, 20])
        sources[2].send(21)
        outer.complete()
        sources[2].complete()
        XCTAssertEqual(recorder.elements, [0, 10, 11, 20, 21])
        XCTAssertTrue(recorder.hasCompleted)
        subscription.dispose()
    }

    func testACompletedStreamAheadOfItsTurnCountsAgainstTheLimit() {
        let outer = ControlledSource<Int>()
        let recorder = Recorder<Int>()
        let subscription = stream(of: outer, maxConcurrent: 2).subscribe(recorder)
        outer.send(0, 1)
        XCTAssertEqual(outer.log, ["pause"])
        sources[1].send(10)
        sources[1].complete()
        outer.send(2)
        XCTAssertEqual(sources[2].observers, 0)
        XCTAssertEqual(outer.log.filter { $0 == "resume" }, [])
        sources[0].complete()
        XCTAssertEqual(recorder.elements, [10])
        XCTAssertEqual(sources[2].observers, 1)
        XCTAssertEqual(outer.log.last, "resume")
        subscription.dispose()
    }

    func testAStreamIsPausedWhenItsBufferIsFullAheadOfItsTurn() {
        let outer = ControlledSource<Int>()
        let recorder = Recorder<Int>()
        let subscription = stream(of: outer, maxConcurrent: 2).subscribe(recorder)
        outer.send(0, 1)
        for number in 1..<64 { sources[1].send(number) }
        XCTAssertEqual(sources[1].log, [])
        sources[1].send(64)
        XCTAssertEqual(sources[1].log, ["pause"])
        sources[0].send(0)
        sources[0].complete()
        XCTAssertEqual(recorder.elements, Array(0...64))
        XCTAssertEqual(sources[1].log, ["pause", "resume"])
        subscription.dispose()
    }

    func testASequenceAheadOfItsTurnIsReadOnlyUpToTheBufferLimit() {
        let first = ControlledSource<Int>()
        let reads = Locked(0)
        let numbers = Observable.from(
            (1...1000).lazy.map { number in
                reads.withLock { $0 += 1 }
                return number
            })
        let recorder = Recorder<Int>()
        let subscription = Observable.of(0, 1)
            .concatMapEager(maxConcurrent: 2) { $0 == 0 ? first.stream : numbers }.subscribe(recorder)
        XCTAssertEqual(reads.withLock { $0 }, 64)
        first.complete()
        XCTAssertEqual(recorder.elements, Array(1...1000))
        XCTAssertTrue(recorder.hasCompleted)
        subscription.dispose()
    }

    func testTheFirstErrorEndsEverything() {
        let outer = ControlledSource<Int>()
        let recorder = Recorder<Int>()
        _ = stream(of: outer, maxConcurrent: 2).subscribe(recorder)
        outer.send(0, 1)
        sources[1].send(10)
        sources[1].fail()
        XCTAssertEqual(recorder.events, [.error(Fault.first)])
        XCTAssertEqual(outer.observers + sources[0].observers + sources[1].observers, 0)
    }

    func testDisposingEndsEverything() {
        let outer = ControlledSource<Int>()
        let recorder = Recorder<Int>()
        let subscription = stream(of: outer, maxConcurrent: 2).subscribe(recorder)
        outer.send(0, 1)
        subscription.dispose()
        XCTAssertEqual(outer.observers + sources[0].observers + sources[1].observers, 0)
        XCTAssertEqual(recorder.events, [])
    }

    func testManySynchronousStreamsKeepTheirOrderAndAFlatStack() {
        onASmallStack {
            let sum = Observable.from(0..<20_000).concatMapEager(maxConcurrent: 8) { Observable.just($0) }
            let last = sum.reduce(-1) { $1 == $0 + 1 ? $1 : -2 }.record()
            XCTAssertEqual(last.events, [.next(19_999), .completed])
        }
    }

    func testStreamsOnManyThreadsKeepTheirOrder() {
        let subjects = (0..<64).map { _ in PublishSubject<Int>() }
        let recorder = Recorder<Int>()
        let subscription = Observable.from(0..<64).concatMapEager(maxConcurrent: 64) { subjects[$0] }.subscribe(
            recorder)
        onThreads(4) { thread in
            for number in stride(from: 63 - thread, through: 0, by: -4) {
                subjects[number].onNext(number)
                subjects[number].onCompleted()
            }
        }
        XCTAssertEqual(recorder.elements, Array(0..<64))
        XCTAssertEqual(recorder.overlaps, 0)
        XCTAssertTrue(recorder.hasCompleted)
        subscription.dispose()
    }
}
