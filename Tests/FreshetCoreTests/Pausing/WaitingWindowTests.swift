import Dispatch
import FreshetCore
import XCTest

/// Tests that a window that waits for its turn in `concat` or `merge(maxConcurrent:)` loses nothing.
final class WaitingWindowTests: CoreTestCase {
    /// While another thread delivers an element, the end of a window waits, and so does the window that follows.
    private func expectNothingLost(
        _ stream: Observable<Int>, _ expected: [Int], deliverFirst: @escaping @Sendable (SerialDisposable) -> Void,
        meanwhile: @escaping @Sendable () -> Void, line: UInt = #line
    ) {
        let (entered, left) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let recorder = Recorder<Int> { event in
            if event.element == 1 {
                entered.signal()
                left.wait()
            }
        }
        let subscription = SerialDisposable()
        subscription.disposable = stream.subscribe(recorder)
        onThreads(2) { number in
            if number == 0 { return deliverFirst(subscription) }
            entered.wait()
            meanwhile()
            left.signal()
        }
        XCTAssertEqual(recorder.elements, expected, line: line)
        subscription.dispose()
    }

    func testWindowsThatArriveDuringADeliveryOnAnotherThreadLoseNothing() {
        let (first, window) = (PublishSubject<Int>(), PublishSubject<Int>())
        let outer = ReplaySubject<Observable<Int>>.create(bufferSize: 2)
        outer.onNext(first.asObservable())
        outer.onNext(window.asObservable())
        expectNothingLost(outer.merge(maxConcurrent: 2), [1, 2, 3]) { _ in
            first.onNext(1)
        } meanwhile: {
            window.onCompleted()
            outer.sendWindows(2...3)
        }
    }

    func testWindowsThatArriveWhileAResumeDeliversLoseNothing() {
        let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
        let outer = ReplaySubject<Observable<Int>>.create(bufferSize: 1)
        outer.onNext(first.asObservable())
        expectNothingLost(outer.concat(), [1, 2, 3]) { subscription in
            subscription.pause()
            outer.onNext(second.asObservable())
            second.onNext(1)
            first.onCompleted()
            subscription.resume()
        } meanwhile: {
            second.onCompleted()
            outer.sendWindows(2...3)
        }
    }

    /// A stream that has caught up passes its elements on; it keeps none.
    func testAGroupThatWaitedDuringAPauseReleasesItsElements() {
        let subject = PublishSubject<Tracked>()
        let (outer, first) = (PublishSubject<Observable<Tracked>>(), PublishSubject<Tracked>())
        let subscription = SerialDisposable()
        subscription.disposable = outer.concat().subscribe()
        outer.onNext(first.asObservable())
        subscription.pause()
        outer.onNext(subject.asObservable())
        weak var early: Tracked?
        weak var late: Tracked?
        do {
            let element = Tracked()
            early = element
            subject.onNext(element)
        }
        XCTAssertNotNil(early)
        first.onCompleted()
        subscription.resume()
        do {
            let element = Tracked()
            late = element
            subject.onNext(element)
        }
        XCTAssertNil(early)
        XCTAssertNil(late)
        subscription.dispose()
    }

    private final class Tracked: Sendable {}
}

extension ReplaySubject<Observable<Int>> {
    /// Sends windows that follow one another, each with one of the numbers.
    fileprivate func sendWindows(_ numbers: ClosedRange<Int>) {
        for number in numbers {
            let window = PublishSubject<Int>()
            onNext(window.asObservable())
            window.onNext(number)
            window.onCompleted()
        }
    }
}
