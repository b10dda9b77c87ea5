import Foundation
import FreshetCore
import XCTest

/// Tests operators that join elements while each source emits on a thread of its own.
final class JoiningStressTests: StressCase {
    /// Asserts that each result differs from the previous one in one subscription, by one element, so that none is skipped or
    /// repeated.
    private func expectSteps(_ results: [[Int]], line: UInt = #line) {
        XCTAssertEqual(results.last, (results.last ?? []).indices.map { ($0 + 1) * count - 1 }, line: line)
        for (one, next) in zip(results, results.dropFirst()) {
            let steps = zip(one, next).map { $1 - $0 }
            guard steps.allSatisfy({ $0 == 0 || $0 == 1 }), steps.reduce(0, +) == 1 else {
                return XCTFail("\(next) after \(one)", line: line)
            }
        }
    }

    func testCombineLatestMissesNoElement() {
        let two = subjects(2)
        expectSteps(record(of: .combineLatest(two[0], two[1]) { [$0, $1] }, feeding: two).elements)
        let four = subjects(4)
        expectSteps(record(of: Observable.combineLatest(four), feeding: four).elements)
        let eight = subjects(8)
        let stream = Observable.combineLatest(
            eight[0], eight[1], eight[2], eight[3], eight[4], eight[5], eight[6], eight[7]
        ) { [$0, $1, $2, $3, $4, $5, $6, $7] }
        expectSteps(record(of: stream, feeding: eight).elements)
    }

    func testZipPairsEachElementWithTheOneAtTheSameIndex() {
        let rows = (0..<count).map { row in (0..<3).map { $0 * count + row } }
        let three = subjects(3)
        XCTAssertEqual(
            record(of: .zip(three[0], three[1], three[2]) { [$0, $1, $2] }, feeding: three).elements, rows)
        let others = subjects(3)
        XCTAssertEqual(record(of: Observable.zip(others), feeding: others).elements, rows)
    }

    func testWithLatestFromMissesNoElementOfItsSource() {
        let sources = subjects(2)
        let recorder = record(of: sources[0].withLatestFrom(sources[1]) { ($0, $1) }, feeding: sources)
        expectConsecutive(recorder.elements.map(\.0))
        for (one, next) in zip(recorder.elements, recorder.elements.dropFirst()) {
            XCTAssertLessThanOrEqual(one.1, next.1)
        }
    }

    func testSampleEmitsNoElementTwice() {
        let sources = subjects(2)
        let recorder = record(of: sources[0].sample(sources[1]), feeding: sources)
        for (one, next) in zip(recorder.elements, recorder.elements.dropFirst()) { XCTAssertLessThan(one, next) }
    }

    func testTakeUntilAndSkipUntilCutTheSourceAtOnePoint() {
        for _ in 0..<5 {
            let taken = subjects(2)
            let before = record(of: taken[0].take(until: taken[1].skip(700)), feeding: taken)
            expectConsecutive(before.elements)
            XCTAssertEqual(before.elements.first ?? 0, 0)
            XCTAssertEqual(before.stops, 1)
            let skipped = subjects(2)
            let after = record(of: skipped[0].skip(until: skipped[1].skip(700)), feeding: skipped)
            expectConsecutive(after.elements)
            XCTAssertEqual(after.elements.last ?? count - 1, count - 1)
        }
    }

    func testShareDeliversEveryElementToEveryObserver() {
        for replay in [0, 3] {
            let sources = subjects(4)
            let shared = Observable.merge(sources.map { $0.asObservable() }).share(replay: replay)
            let second = UnsynchronizedRecorder<Int>()
            let subscription = shared.subscribe(second)
            let first = record(
                of: shared, feeding: sources,
                beside: {
                    for _ in 0..<50 {
                        let lateObserver = Recorder<Int>()
                        shared.subscribe(lateObserver).dispose()
                        XCTAssertEqual(lateObserver.overlaps, 0)
                    }
                })
            expectAll(first.elements, of: 4)
            XCTAssertEqual(first.elements, second.elements)
            subscription.dispose()
        }
    }

    func testMulticastWithASelectorLosesNothing() {
        let sources = subjects(2)
        let merged = Observable.merge(sources.map { $0.asObservable() })
        let stream = merged.multicast({ PublishSubject<Int>() }) { .zip($0, $0.map { -$0 }) { $0 + $1 } }
        let recorder = record(of: stream, feeding: sources)
        XCTAssertEqual(recorder.elements, Array(repeating: 0, count: 2 * count))
    }

    /// A second stream that only sets a value must not take over the elements of the first.
    func testElementsOfTheFirstStreamStayOnTheirThread() {
        for round in 0..<2 {
            let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
            let stray = Locked(0)
            let home = Locked<UInt>(0)
            let stream = round == 0 ? first.withLatestFrom(second) : first.skip(until: second)
            let subscription = stream.subscribe(onNext: { _ in
                if UInt(bitPattern: pthread_self().hashValue) != home.withLock({ $0 }) { stray.withLock { $0 += 1 } }
            })
            let isDone = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                for number in 0..<20_000 { second.onNext(number) }
                isDone.signal()
            }
            home.withLock { $0 = UInt(bitPattern: pthread_self().hashValue) }
            for number in 0..<20_000 { first.onNext(number) }
            isDone.wait()
            XCTAssertEqual(stray.withLock { $0 }, 0)
            subscription.dispose()
        }
    }
}
