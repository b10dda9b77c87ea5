import FreshetCore
import XCTest

final class PairwiseTests: CoreTestCase {
    func testEachElementIsPairedWithThePreviousOne() {
        let pairs = Observable.of(1, 2, 3).pairwise().map { [$0, $1] }
        XCTAssertEqual(pairs.record().events, [.next([1, 2]), .next([2, 3]), .completed])
        XCTAssertEqual(Observable.just(1).pairwise().map(\.0).record().events, [.completed])
        XCTAssertEqual(Observable<Int?>.of(nil, nil).pairwise().map { [$0, $1] }.record().elements, [[nil, nil]])
    }

    func testAnElementSentInsideAPairIsPairedInOrder() {
        let subject = PublishSubject<Int>()
        let recorder = Recorder<[Int]> { if $0.element == [1, 2] { subject.onNext(3) } }
        let subscription = subject.pairwise().map { [$0, $1] }.subscribe(recorder)
        subject.onNext(1)
        subject.onNext(2)
        XCTAssertEqual(recorder.elements, [[1, 2], [2, 3]])
        subscription.dispose()
    }
}
