import FreshetCore
import FreshetTesting
import XCTest

/// Tests the behaviour on which users of RxBlocking rely; see RxBlocking's operators.
final class BlockingObservableTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }

    override func tearDown() {
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        while Resources.total != resources, ContinuousClock.now < end { sched_yield() }
        XCTAssertEqual(Resources.total, resources)
    }

    enum Fault: Error { case fault }

    func testToArrayReturnsAllElementsOrThrows() throws {
        XCTAssertEqual(try Observable<Int>.empty().toBlocking().toArray(), [])
        XCTAssertEqual(try Observable.of(1, 2, 3).toBlocking().toArray(), [1, 2, 3])
        XCTAssertThrowsError(try failing(after: 1).toBlocking().toArray()) { XCTAssertEqual($0 as? Fault, .fault) }
    }

    func testFirstDisposesOfTheStreamAtItsFirstElement() throws {
        XCTAssertNil(try Observable<Int>.empty().toBlocking().first())
        XCTAssertEqual(try failing(after: 7).toBlocking().first(), 7)
        XCTAssertThrowsError(try Observable<Int>.error(Fault.fault).toBlocking().first())
        XCTAssertEqual(try Observable.repeatElement(1).toBlocking().first(), 1)
        let isDisposed = BooleanDisposable()
        let endless = Observable<Int>.create { observer in
            observer.onNext(1)
            return isDisposed
        }
        XCTAssertEqual(try endless.toBlocking().first(), 1)
        XCTAssertTrue(isDisposed.isDisposed)
    }

    func testLastReturnsTheLastElementOrThrows() throws {
        XCTAssertNil(try Observable<Int>.empty().toBlocking().last())
        XCTAssertEqual(try Observable.of(1, 2, 3).toBlocking().last(), 3)
        XCTAssertThrowsError(try failing(after: 1).toBlocking().last())
    }

    func testSingleThrowsUnlessThereIsExactlyOneElement() throws {
        XCTAssertEqual(try Observable.just(1).toBlocking().single(), 1)
        XCTAssertThrowsError(try Observable<Int>.empty().toBlocking().single()) {
            guard case RxError.noElements = $0 else { return XCTFail("\($0)") }
        }
        XCTAssertThrowsError(try Observable.repeatElement(1).toBlocking().single()) {
            guard case RxError.moreThanOneElement = $0 else { return XCTFail("\($0)") }
        }
        XCTAssertThrowsError(try failing(after: 1).toBlocking().single()) { XCTAssertTrue($0 is Fault) }
    }

    func testSingleWithAPredicateCountsMatchingElements() throws {
        let numbers = Observable.of(1, 2, 3, 4)
        XCTAssertEqual(try numbers.toBlocking().single { $0 == 3 }, 3)
        XCTAssertThrowsError(try numbers.toBlocking().single { $0 > 2 })
        XCTAssertThrowsError(try numbers.toBlocking().single { $0 > 4 })
        XCTAssertThrowsError(try numbers.toBlocking().single { _ in throw Fault.fault }) { XCTAssertTrue($0 is Fault) }
    }

    func testMaterializeKeepsTheElementsOfAStreamThatFails() {
        guard case .completed([1, 2]) = Observable.of(1, 2).toBlocking().materialize() else { return XCTFail() }
        guard case .failed([5], Fault.fault) = failing(after: 5).toBlocking().materialize() else { return XCTFail() }
    }

    func testEveryTraitBlocksForItsResult() throws {
        XCTAssertEqual(try Single.just(1).toBlocking().single(), 1)
        XCTAssertEqual(try Maybe.just(1).toBlocking().first(), 1)
        XCTAssertNil(try Maybe<Int>.empty().toBlocking().first())
        guard case .completed = Completable.empty().toBlocking().materialize() else { return XCTFail() }
        XCTAssertThrowsError(try Completable.error(Fault.fault).toBlocking().last())
        XCTAssertEqual(try Infallible.of(1, 2).toBlocking().toArray(), [1, 2])
        let subject = BehaviorSubject(value: 1)
        XCTAssertEqual(try subject.toBlocking().first(), 1)
    }

    func testBlockingWaitsForAStreamOfAnotherThread() throws {
        let stream = onAnotherThread { observer in
            for number in 0..<1000 { observer.onNext(number) }
            observer.onCompleted()
        }
        XCTAssertEqual(try stream.toBlocking().toArray(), Array(0..<1000))
        XCTAssertEqual(try stream.toBlocking(timeout: 30).last(), 999)
        XCTAssertEqual(try stream.toBlocking(timeout: 30).first(), 0)
    }

    func testATimeoutFailsAndDisposesOfTheStream() {
        let isDisposed = BooleanDisposable()
        let stream = Observable<Int>.create { observer in
            observer.onNext(1)
            return isDisposed
        }
        guard case .failed([1], RxError.timeout) = stream.toBlocking(timeout: 0.02).materialize() else {
            return XCTFail()
        }
        XCTAssertTrue(isDisposed.isDisposed)
        XCTAssertThrowsError(try Observable<Int>.never().toBlocking(timeout: 0).first())
    }

    func testATimeoutThatIsNoNumberHasPassed() {
        XCTAssertThrowsError(try Observable<Int>.never().toBlocking(timeout: .nan).first()) {
            guard case RxError.timeout = $0 else { return XCTFail("\($0)") }
        }
    }

    func testATimeoutStopsASourceThatBlocksTheThread() {
        XCTAssertThrowsError(try Observable.repeatElement(1).toBlocking(timeout: 0.02).last()) {
            guard case RxError.timeout = $0 else { return XCTFail("\($0)") }
        }
    }

    func testBlockingInsideWorkOfTheCurrentThreadDoesNotDeadlock() throws {
        var seen: [[Int]] = []
        let turns = Observable.of(1, 2).map { count in try Observable.of(count, count).toBlocking().toArray() }
        seen = try turns.toBlocking().toArray()
        XCTAssertEqual(seen, [[1, 1], [2, 2]])
    }

    private func failing(after element: Int) -> Observable<Int> {
        Observable.just(element).concat(Observable.error(Fault.fault))
    }

    private func onAnotherThread(_ body: @escaping @Sendable (AnyObserver<Int>) -> Void) -> Observable<Int> {
        .create { observer in
            Thread.detachNewThread { body(observer) }
            return Disposables.create()
        }
    }
}
