import FreshetCore
import XCTest

/// Tests streams of streams that emit on threads of their own.
final class MergingStressTests: StressCase {
    func testMergeLosesNothing() {
        let sources = subjects(4)
        expectAll(record(of: .merge(sources.map { $0.asObservable() }), feeding: sources).elements, of: 4)
        let others = subjects(4)
        let outer = PublishSubject<PublishSubject<Int>>()
        let merged = UnsynchronizedRecorder<Int>()
        let subscription = outer.merge().subscribe(merged)
        others.forEach { outer.onNext($0) }
        outer.onCompleted()
        expectAll(record(of: .merge(others.map { $0.asObservable() }), feeding: others).elements, of: 4)
        expectAll(merged.elements, of: 4)
        XCTAssertFalse(merged.hasOverlapped)
        XCTAssertEqual(merged.stops, 1)
        subscription.dispose()
    }

    func testFlatMapOfThreadsLosesNothing() {
        let count = count
        let stream = Observable.range(start: 0, count: 6).flatMap { onItsOwnThread($0 * count, count) }
        expectAll(recordToTheEnd(of: stream).elements, of: 6)
    }

    func testConcatMapKeepsTheOrderOfStreamsOnManyThreads() {
        let stream = Observable.range(start: 0, count: 60).concatMap { onItsOwnThread($0 * 20, 20) }
        XCTAssertEqual(recordToTheEnd(of: stream).elements, Array(0..<1200))
        let concat = Observable.concat((0..<60).map { onItsOwnThread($0 * 20, 20) })
        XCTAssertEqual(recordToTheEnd(of: concat).elements, Array(0..<1200))
    }

    func testConcatMapEagerKeepsTheOrderOfStreamsOnManyThreads() {
        let stream = Observable.range(start: 0, count: 60).concatMapEager(maxConcurrent: 4) {
            onItsOwnThread($0 * 20, 20)
        }
        XCTAssertEqual(recordToTheEnd(of: stream).elements, Array(0..<1200))
    }

    func testALimitedMergeKeepsItsLimitAndLosesNothing() {
        let running = Counter(), ended = Counter()
        let most = Locked(0)
        let stream = Observable.range(start: 0, count: 60).map { number in
            onItsOwnThread(number * 20, 20).do(
                onCompleted: { ended.increment() },
                onSubscribe: {
                    let now = running.increment() - ended.value
                    most.withLock { $0 = max($0, now) }
                })
        }.merge(maxConcurrent: 3)
        XCTAssertEqual(recordToTheEnd(of: stream).elements.sorted(), Array(0..<1200))
        XCTAssertLessThanOrEqual(most.withLock { $0 }, 3)
    }

    func testFlatMapLatestEmitsNothingOfAReplacedStream() {
        let sources = subjects(2)
        let (outer, inner) = (sources[0], sources[1])
        let stream = outer.flatMapLatest { generation in inner.map { (generation, $0) } }
        let recorder = record(of: stream, feeding: sources)
        for (one, next) in zip(recorder.elements, recorder.elements.dropFirst()) {
            XCTAssertLessThanOrEqual(one.0, next.0, "a replaced stream emitted")
            XCTAssertLessThan(one.1, next.1, "an element came twice")
            if one.0 == next.0 { XCTAssertEqual(one.1 + 1, next.1, "an element was lost") }
        }
    }

    func testSwitchLatestRepeatsNoElement() {
        let sources = subjects(3)
        let stream = sources[0].map { $0 % 2 == 0 ? sources[1] : sources[2] }.switchLatest()
        let recorder = record(of: stream, feeding: sources)
        for source in 1...2 {
            let own = recorder.elements.filter { $0 / count == source }
            for (one, next) in zip(own, own.dropFirst()) { XCTAssertLessThan(one, next) }
        }
    }

    func testFlatMapFirstEmitsEachStartedStreamWhole() {
        let sources = subjects(2)
        let (outer, inner) = (sources[0], sources[1])
        let stream = outer.flatMapFirst { generation in inner.take(5).map { (generation, $0) } }
        let streams = Dictionary(grouping: record(of: stream, feeding: sources).elements, by: \.0)
        let last = streams.keys.max()
        for (generation, elements) in streams {
            expectConsecutive(elements.map(\.1))
            if generation != last { XCTAssertEqual(elements.count, 5) }
        }
    }

    func testAmbEmitsAllElementsOfOneSource() {
        for _ in 0..<10 {
            let sources = subjects(4)
            let recorder = record(of: .amb(sources.map { $0.asObservable() }), feeding: sources)
            XCTAssertEqual(recorder.elements.count, count)
            expectConsecutive(recorder.elements)
        }
    }
}
