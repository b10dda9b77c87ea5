import Freshet
import XCTest

final class TimingVocabularyTests: VocabularyTestCase {
    func testDelayCompilesAsInRxSwift() {
        XCTAssertEqual(elements(of: Observable.just(1).delay(.seconds(1), scheduler: scheduler)), [1])
        XCTAssertEqual(elements(of: Observable.just(1).delay(.milliseconds(10), scheduler: scheduler)), [1])
        XCTAssertEqual(elements(of: Observable.just(1).delaySubscription(.seconds(1), scheduler: scheduler)), [1])
    }

    func testTimeoutCompilesAsInRxSwift() {
        let never = Observable<Int>.never()
        XCTAssertEqual(events(of: never.timeout(.seconds(1), scheduler: scheduler)), [.error(RxError.timeout)])
        XCTAssertEqual(elements(of: never.timeout(.seconds(1), other: Observable.just(2), scheduler: scheduler)), [2])
        XCTAssertEqual(elements(of: never.timeout(.seconds(1), other: Single.just(3), scheduler: scheduler)), [3])
    }

    func testIntervalsOfDifferentUnitsAreEqual() {
        let intervals: [RxTimeInterval] = [
            .seconds(1), .milliseconds(1000), .microseconds(1_000_000), .nanoseconds(1_000_000_000),
        ]
        XCTAssertEqual(Set(intervals).count, 1)
        let seconds = 3
        XCTAssertEqual(RxTimeInterval.seconds(seconds), RxTimeInterval.milliseconds(seconds * 1000))
    }

    func testObserveOnAndSubscribeOnCompileAsInRxSwift() {
        XCTAssertEqual(elements(of: Observable.just(1).observe(on: scheduler)), [1])
        XCTAssertEqual(elements(of: Observable.just(1).subscribe(on: scheduler)), [1])
        XCTAssertEqual(elements(of: Observable.just(1).observe(on: CurrentThreadScheduler.instance)), [1])
    }
}
