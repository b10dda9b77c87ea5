import FreshetCore
import XCTest

/// A test of a combining operator whose sources emit at once, each on a thread of its own.
class StressCase: CoreTestCase {
    /// The number of elements of each source.
    let count = 1500

    /// The events of `stream` while each of `sources` counts up to `count` on a thread of its own and completes.
    func record<Element>(
        of stream: Observable<Element>, feeding sources: [PublishSubject<Int>],
        beside other: @escaping @Sendable () -> Void = {}, line: UInt = #line
    ) -> UnsynchronizedRecorder<Element> {
        let recorder = UnsynchronizedRecorder<Element>()
        let subscription = stream.subscribe(recorder)
        let barrier = Barrier(sources.count + 1)
        let count = count
        onThreads(sources.count + 1) { thread in
            barrier.wait()
            if thread == sources.count { return other() }
            for number in 0..<count { sources[thread].onNext(thread * count + number) }
            sources[thread].onCompleted()
        }
        XCTAssertFalse(recorder.hasOverlapped, line: line)
        XCTAssertLessThanOrEqual(recorder.stops, 1, line: line)
        subscription.dispose()
        for source in sources { XCTAssertFalse(source.hasObservers, line: line) }
        return recorder
    }

    func subjects(_ count: Int) -> [PublishSubject<Int>] { (0..<count).map { _ in PublishSubject() } }

    /// Asserts that each element arrives once, and that those of each source arrive in order.
    func expectAll(_ elements: [Int], of sources: Int, line: UInt = #line) {
        XCTAssertEqual(elements.count, sources * count, line: line)
        var next = (0..<sources).map { $0 * count }
        for element in elements {
            let source = element / count
            guard source < sources, element == next[source] else {
                return XCTFail("\(element) instead of \(next[min(source, sources - 1)])", line: line)
            }
            next[source] += 1
        }
    }

    /// Asserts that `elements` follow each other without a gap.
    func expectConsecutive(_ elements: [Int], line: UInt = #line) {
        for (element, next) in zip(elements, elements.dropFirst()) where next != element + 1 {
            return XCTFail("\(next) after \(element)", line: line)
        }
    }

    /// The events of `stream` until it stops.
    func recordToTheEnd<Element>(of stream: Observable<Element>, line: UInt = #line) -> UnsynchronizedRecorder<Element>
    {
        let recorder = UnsynchronizedRecorder<Element>()
        let ended = DispatchSemaphore(value: 0)
        let subscription = stream.do(afterError: { _ in ended.signal() }, afterCompleted: { ended.signal() })
            .subscribe(recorder)
        XCTAssertEqual(ended.wait(timeout: .now() + 60), .success, "it never ended", line: line)
        XCTAssertFalse(recorder.hasOverlapped, line: line)
        XCTAssertEqual(recorder.stops, 1, line: line)
        subscription.dispose()
        return recorder
    }
}

/// A source that counts from `start` on a thread of its own.
func onItsOwnThread(_ start: Int, _ count: Int) -> Observable<Int> {
    .create { observer in
        let end = BooleanDisposable()
        Thread.detachNewThread {
            for number in start..<start + count {
                if end.isDisposed { return }
                observer.onNext(number)
            }
            observer.onCompleted()
        }
        return end
    }
}
