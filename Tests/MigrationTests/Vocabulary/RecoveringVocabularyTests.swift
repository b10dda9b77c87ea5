import Freshet
import XCTest

final class RecoveringVocabularyTests: VocabularyTestCase {
    private let failing = Observable.just(1).concat(Observable.error(Failure.first))

    func testCatchCompilesAsInRxSwift() {
        XCTAssertEqual(elements(of: failing.catch { _ in .just(2) }), [1, 2])
        XCTAssertEqual(
            elements(
                of: failing.catch { error in
                    guard error is Failure else { throw error }
                    return Observable.just(3)
                }), [1, 3])
        XCTAssertEqual(elements(of: failing.catchAndReturn(2)), [1, 2])
        XCTAssertEqual(elements(of: Observable.catch(sequence: [failing, Observable.just(2)])), [1, 2])
    }

    func testRetryCompilesAsInRxSwift() {
        XCTAssertEqual(elements(of: failing.retry(2)), [1, 1])
        XCTAssertEqual(elements(of: failing.retry().take(3)), [1, 1, 1])
        let delays = failing.retry(when: { [scheduler] errors in
            errors.enumerated().flatMap { (index, error) -> Observable<Int> in
                guard index < 2 else { return .error(error) }
                return Observable<Int>.timer(.seconds(1), scheduler: scheduler)
            }
        })
        XCTAssertEqual(events(of: delays), [.next(1), .next(1), .next(1), .error(Failure.first)])
        let typed = failing.retry { (errors: Observable<Failure>) in errors.map { $0 == .first }.take(1) }
        XCTAssertEqual(elements(of: typed), [1, 1])
        let untyped = failing.retry { (errors: Observable<Error>) in errors.take(2) }
        XCTAssertEqual(elements(of: untyped), [1, 1, 1])
        let handed = failing.retry(when: { $0.take(1) })
        XCTAssertEqual(elements(of: handed), [1, 1])
    }
}
