import Freshet
import XCTest

final class CreatingVocabularyTests: VocabularyTestCase {
    func testJustEmptyNeverAndErrorCompileAsInRxSwift() {
        XCTAssertEqual(elements(of: Observable.just(1)), [1])
        XCTAssertEqual(elements(of: Observable.just(1, scheduler: scheduler)), [1])
        XCTAssertEqual(events(of: Observable<Int>.empty()), [.completed])
        XCTAssertEqual(events(of: Observable<Int>.never()), [])
        XCTAssertEqual(events(of: Observable<Int>.error(Failure.first)), [.error(Failure.first)])
        let typed: Observable<Int> = .just(1)
        let failed: Observable<String> = .error(Failure.first)
        let empty: Observable<Void> = .empty()
        let void = Observable.just(())
        XCTAssertEqual(elements(of: typed), [1])
        XCTAssertEqual(events(of: failed), [.error(Failure.first)])
        XCTAssertEqual(elements(of: empty).count, 0)
        XCTAssertEqual(elements(of: void).count, 1)
        XCTAssertEqual(elements(of: Observable<Int?>.just(nil)), [nil])
    }

    func testSequencesAreCreatedAsInRxSwift() {
        XCTAssertEqual(elements(of: Observable.of(1, 2, 3)), [1, 2, 3])
        XCTAssertEqual(elements(of: Observable.of(1, 2, scheduler: scheduler)), [1, 2])
        XCTAssertEqual(elements(of: Observable.from([1, 2])), [1, 2])
        XCTAssertEqual(elements(of: Observable.from([1, 2], scheduler: scheduler)), [1, 2])
        XCTAssertEqual(elements(of: Observable<Int>.from(Set([1]))), [1])
        XCTAssertEqual(elements(of: Observable.from(1...3)), [1, 2, 3])
        XCTAssertEqual(elements(of: Observable.from(optional: 1)), [1])
        XCTAssertEqual(elements(of: Observable<Int>.from(optional: nil)), [])
        XCTAssertEqual(elements(of: Observable.from(optional: 1, scheduler: scheduler)), [1])
        XCTAssertEqual(elements(of: Observable.range(start: 1, count: 3)), [1, 2, 3])
        XCTAssertEqual(elements(of: Observable.range(start: 1, count: 2, scheduler: scheduler)), [1, 2])
        XCTAssertEqual(elements(of: Observable.repeatElement(1).take(2)), [1, 1])
        XCTAssertEqual(elements(of: Observable.repeatElement(1, scheduler: scheduler).take(2)), [1, 1])
        let powers = Observable.generate(initialState: 1, condition: { $0 < 20 }, iterate: { $0 * 2 })
        XCTAssertEqual(elements(of: powers), [1, 2, 4, 8, 16])
        let later = Observable.generate(
            initialState: 1, condition: { $0 < 3 }, scheduler: CurrentThreadScheduler.instance
        ) { $0 + 1 }
        XCTAssertEqual(elements(of: later), [1, 2])
    }

    func testCreateDeferredAndUsingCompileAsInRxSwift() {
        let created = Observable<Int>.create { observer in
            observer.onNext(1)
            observer.on(.next(2))
            observer.onCompleted()
            return Disposables.create()
        }
        XCTAssertEqual(elements(of: created), [1, 2])
        let inferred: Observable<String> = .create { observer in
            observer.on(.next("a"))
            observer.onError(Failure.first)
            return Disposables.create { print("never seen by this test") }
        }
        XCTAssertEqual(elements(of: inferred.catchAndReturn("b")), ["a", "b"])
        XCTAssertEqual(elements(of: Observable.deferred { .just(1) }), [1])
        XCTAssertEqual(elements(of: Observable<Int>.deferred { throw Failure.first }.catchAndReturn(2)), [2])
        let used = Observable.using({ BooleanDisposable() }, observableFactory: { _ in Observable.just(1) })
        XCTAssertEqual(elements(of: used), [1])
        let typed: Observable<Int> = Observable.using({ SingleAssignmentDisposable() }) { _ in .just(1) }
        XCTAssertEqual(elements(of: typed), [1])
    }

    func testTimersAreCreatedAsInRxSwift() {
        let ticks = Observable<Int>.interval(.seconds(1), scheduler: scheduler)
        XCTAssertEqual(elements(of: ticks.take(2)), [0, 1])
        XCTAssertEqual(elements(of: Observable<Int>.timer(.seconds(1), scheduler: scheduler)), [0])
        let counting = Observable<Int64>.timer(.milliseconds(1000), period: .seconds(2), scheduler: scheduler)
        XCTAssertEqual(elements(of: counting.take(3)), [0, 1, 2])
        XCTAssertEqual(elements(of: Observable<Int>.timer(.never, scheduler: scheduler)), [])
        let interval: RxTimeInterval = .milliseconds(500)
        let typed: Observable<Int> = .interval(interval, scheduler: scheduler)
        XCTAssertEqual(elements(of: typed.map { $0 * 2 }.take(3)), [0, 2, 4])
    }
}
