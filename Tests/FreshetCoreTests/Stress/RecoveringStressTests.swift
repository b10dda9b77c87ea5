import FreshetCore
import XCTest

/// Tests attempts on threads of their own that follow each other.
final class RecoveringStressTests: StressCase {
    private func failing(_ times: Int) -> Observable<Int> {
        let attempts = Counter()
        return .create { observer in
            let attempt = attempts.increment()
            Thread.detachNewThread {
                observer.onNext(attempt)
                if attempt <= times { observer.onError(Fault.first) } else { observer.onCompleted() }
            }
            return Disposables.create()
        }
    }

    func testRetrySubscribesOncePerFailure() {
        XCTAssertEqual(recordToTheEnd(of: failing(100).retry()).elements, Array(1...101))
        XCTAssertEqual(recordToTheEnd(of: failing(100).retry(50)).elements, Array(1...50))
    }

    func testRetryWhenSubscribesOncePerTrigger() {
        let stream = failing(100).retry(when: { (errors: Observable<any Error>) in
            errors.observe(on: ThreadsScheduler())
        })
        XCTAssertEqual(recordToTheEnd(of: stream).elements, Array(1...101))
    }

    func testCatchContinuesAfterTheLastElementOfTheSource() {
        let stream = onItsOwnThread(0, 50).concat(Observable.error(Fault.first)).catch { _ in
            onItsOwnThread(50, 50)
        }
        for _ in 0..<20 { XCTAssertEqual(recordToTheEnd(of: stream).elements, Array(0..<100)) }
    }

    func testIfEmptySwitchesOnce() {
        let stream = onItsOwnThread(0, 0).ifEmpty(switchTo: onItsOwnThread(0, 50))
        for _ in 0..<20 { XCTAssertEqual(recordToTheEnd(of: stream).elements, Array(0..<50)) }
    }
}
