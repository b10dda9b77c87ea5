import FreshetCore
import FreshetTesting
import XCTest

/// Tests operators with a clock and a scheduler. Four threads send elements while another thread lets time pass.
final class TimingStressTests: StressCase {
    /// The elements of four merged sources in the order in which they reach the operator of `make`, and its own elements.
    private func results<Element>(
        each count: Int = 300, _ make: (Observable<Int>, TestScheduler) -> Observable<Element>
    ) -> (before: [Int], after: [Element]) {
        let sources = subjects(4)
        let scheduler = TestScheduler(initialClock: 0)
        let before = Log<Int>()
        let merged = Observable.merge(sources.map { $0.asObservable() }).do(onNext: { before.append($0) })
        let recorder = UnsynchronizedRecorder<Element>()
        let subscription = make(merged, scheduler).subscribe(recorder)
        let barrier = Barrier(5)
        onThreads(5) { thread in
            barrier.wait()
            if thread == 4 {
                for _ in 0..<300 {
                    scheduler.advanceBy(1)
                    sched_yield()
                }
            } else {
                for number in 0..<count { sources[thread].onNext(thread * count + number) }
                sources[thread].onCompleted()
            }
        }
        scheduler.advanceBy(count * 4 * 2)
        XCTAssertFalse(recorder.hasOverlapped)
        XCTAssertEqual(recorder.stops, 1)
        subscription.dispose()
        return (before.all, recorder.elements)
    }

    private func expectSome(_ elements: [Int], of all: [Int], line: UInt = #line) {
        var rest = all[...]
        for element in elements {
            guard let index = rest.firstIndex(of: element) else {
                return XCTFail("\(element) twice, or out of order", line: line)
            }
            rest = rest[(index + 1)...]
        }
    }

    func testDelayLosesNothing() {
        let (before, after) = results { $0.delay(.seconds(3), scheduler: $1) }
        XCTAssertEqual(before, after)
    }

    func testObserveOnLosesNothing() {
        let (before, after) = results(each: 300) { $0.observe(on: $1) }
        XCTAssertEqual(before, after)
        let held = results(each: 300) { $0.observe(on: $1, buffering: 2...8) }
        XCTAssertEqual(held.before, held.after)
    }

    func testBuffersAndWindowsLoseNothing() {
        let arrays = results { $0.buffer(timeSpan: .seconds(2), count: 7, scheduler: $1) }
        XCTAssertEqual(arrays.before, arrays.after.flatMap { $0 })
        XCTAssertLessThanOrEqual(arrays.after.map(\.count).max() ?? 0, 7)
        let windows = results { $0.window(timeSpan: .seconds(2), count: 7, scheduler: $1).concatMap { $0 } }
        XCTAssertEqual(windows.before, windows.after)
    }

    func testOperatorsOfTimeEmitNoElementTwice() {
        for make in [
            { $0.debounce(.seconds(1), scheduler: $1) }, { $0.throttle(.seconds(1), scheduler: $1) },
            { $0.throttle(.seconds(1), latest: false, scheduler: $1) }, { $0.take(for: .seconds(20), scheduler: $1) },
            { $0.skip(.seconds(20), scheduler: $1) }, { $0.timeout(.seconds(1), scheduler: $1) },
            { $0.sample(Observable<Int>.interval(.seconds(2), scheduler: $1)) },
        ] as [(Observable<Int>, TestScheduler) -> Observable<Int>] {
            let (before, after) = results(make)
            expectSome(after, of: before)
        }
    }

    func testObserveOnManyThreadsKeepsTheOrder() {
        let count = count
        let stream = Observable.range(start: 0, count: 4).flatMap { onItsOwnThread($0 * count, count) }
            .observe(on: ThreadsScheduler())
        expectAll(recordToTheEnd(of: stream).elements, of: 4)
        let held = Observable.range(start: 0, count: 4 * count).observe(on: ThreadsScheduler(), buffering: 1...16)
        XCTAssertEqual(recordToTheEnd(of: held).elements, Array(0..<4 * count))
    }
}
