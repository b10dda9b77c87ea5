import FreshetCore
import XCTest

final class GeneratingTests: CoreTestCase {
    func testARangeCountsUpToTheLimitOfItsType() {
        XCTAssertEqual(
            Observable.range(start: 3, count: 3).record().events, [.next(3), .next(4), .next(5), .completed])
        XCTAssertEqual(Observable<Int>.range(start: 3, count: 0).record().events, [.completed])
        XCTAssertEqual(Observable<Int8>.range(start: 126, count: 2).record().elements, [126, 127])
    }

    func testARepeatedElementAndAGeneratedStreamStopAtTake() {
        XCTAssertEqual(Observable.repeatElement(7).take(3).record().elements, [7, 7, 7])
        let powers = Observable.generate(initialState: 1, condition: { $0 < 100 }, iterate: { $0 * 2 })
        XCTAssertEqual(powers.record().elements, [1, 2, 4, 8, 16, 32, 64])
        XCTAssertEqual(powers.record().elements.count, 7)
        let endless = Observable.generate(initialState: 1, condition: { _ in true }, iterate: { $0 })
        XCTAssertEqual(endless.take(2).record().elements, [1, 1])
    }

    func testAnErrorThrownByAGeneratorFailsTheStream() {
        let stream = Observable.generate(
            initialState: 1, condition: { _ in true }, iterate: { if $0 == 2 { throw Fault.first } else { $0 + 1 } })
        XCTAssertEqual(stream.record().events, [.next(1), .next(2), .error(Fault.first)])
    }

    func testDeferredMakesAStreamForEachSubscription() {
        let count = Locked(0)
        let stream = Observable.deferred {
            Observable.just(
                count.withLock {
                    $0 += 1; return $0
                })
        }
        XCTAssertEqual(stream.record().elements, [1])
        XCTAssertEqual(stream.record().elements, [2])
        XCTAssertEqual(Observable<Int>.deferred { throw Fault.first }.record().events, [.error(Fault.first)])
    }

    func testAResourceLivesAsLongAsTheSubscription() {
        let source = ControlledSource<Int>()
        let resource = BooleanDisposable()
        let stream = Observable.using({ resource }, observableFactory: { _ in source.stream })
        let subscription = stream.subscribe(Recorder<Int>())
        XCTAssertFalse(resource.isDisposed)
        subscription.dispose()
        XCTAssertTrue(resource.isDisposed)
    }

    func testAResourceIsDisposedOfWithTheStreamOrAFailedFactory() {
        let done = BooleanDisposable(), failed = BooleanDisposable()
        let one = Observable.using({ done }, observableFactory: { _ in .just(1) })
        XCTAssertEqual(one.record().events, [.next(1), .completed])
        XCTAssertTrue(done.isDisposed)
        let stream = Observable<Int>.using({ failed }, observableFactory: { _ in throw Fault.first })
        XCTAssertEqual(stream.record().events, [.error(Fault.first)])
        XCTAssertTrue(failed.isDisposed)
        let none = Observable<Int>.using(
            { () throws -> BooleanDisposable in throw Fault.second }, observableFactory: { _ in .just(1) })
        XCTAssertEqual(none.record().events, [.error(Fault.second)])
    }

    func testJustEmptyErrorAndNeverEmitTheirEvents() {
        XCTAssertEqual(Observable.just(1).record().events, [.next(1), .completed])
        let immediate = Observable.just(1, scheduler: ImmediateScheduler.instance)
        XCTAssertEqual(immediate.record().events, [.next(1), .completed])
        XCTAssertEqual(Observable<Int>.empty().record().events, [.completed])
        XCTAssertEqual(Observable<Int>.error(Fault.first).record().events, [.error(Fault.first)])
        XCTAssertEqual(Observable<Int>.never().record().events, [])
    }
}
