import Freshet
import XCTest

/// Tests the names of RxSwift 5, which compile with a warning that names the new one.
final class FormerNamesTests: VocabularyTestCase, FormerNamesCaller {
    // The calls go through the protocol, which is not deprecated.
    func testFormerNamesBehaveAsTheirReplacements() {
        let user: any FormerNamesCaller = self
        user.callFormerNamesOfObservables()
        user.callFormerNamesOfTraits()
    }

    private let numbers = Observable.of(1, 2, 3)
    private let failing = Observable<Int>.error(Failure.first)

    @available(*, deprecated)
    func callFormerNamesOfObservables() {
        XCTAssertEqual(elements(of: failing.catchError { _ in .just(1) }), [1])
        XCTAssertEqual(elements(of: failing.catchErrorJustReturn(1)), [1])
        XCTAssertEqual(elements(of: Observable.catchError([failing, .just(1)])), [1])
        XCTAssertEqual(events(of: failing.retryWhen { errors in errors.take(1) }), [.completed])
        XCTAssertEqual(events(of: failing.retryWhen { (errors: Observable<Failure>) in errors.take(1) }), [.completed])
        XCTAssertEqual(elements(of: numbers.observeOn(scheduler).subscribeOn(scheduler)), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.elementAt(1)), [2])
        XCTAssertEqual(elements(of: numbers.takeUntil(Observable<Void>.never())), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.takeUntil(.inclusive) { $0 == 2 }), [1, 2])
        XCTAssertEqual(elements(of: numbers.takeWhile { $0 < 3 }), [1, 2])
        XCTAssertEqual(elements(of: numbers.take(.seconds(1), scheduler: scheduler)), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.skipWhile { $0 < 3 }), [3])
        XCTAssertEqual(elements(of: numbers.skipUntil(Observable.just(()))), [1, 2, 3])
    }

    @available(*, deprecated)
    func callFormerNamesOfTraits() {
        let single = Single<Int>.error(Failure.first)
        XCTAssertEqual(elements(of: single.catchError { _ in .just(1) }), [1])
        XCTAssertEqual(elements(of: single.catchErrorJustReturn(1)), [1])
        XCTAssertEqual(elements(of: Maybe<Int>.error(Failure.first).catchErrorJustReturn(1)), [1])
        XCTAssertEqual(events(of: single.retryWhen { errors in errors.take(1) }), [.completed])
        XCTAssertEqual(elements(of: Single.just(1).observeOn(scheduler).subscribeOn(scheduler)), [1])
        single.subscribe(onSuccess: { print($0) }, onError: { print($0) }).dispose()
        XCTAssertEqual(events(of: Completable.merge(.empty(), .empty())), [.completed])
    }
}

private protocol FormerNamesCaller {
    func callFormerNamesOfObservables()
    func callFormerNamesOfTraits()
}
