import Freshet
import FreshetTesting
import XCTest

final class CompletableVocabularyTests: VocabularyTestCase {
    private let done = Completable.empty()

    func testCompletablesAreCreatedAsInRxSwift() {
        let created = Completable.create { completable in
            completable(.completed)
            return Disposables.create()
        }
        let inferred: Completable = .create { observer in
            observer(.error(Failure.first))
            return Disposables.create {}
        }
        XCTAssertEqual(events(of: created), [.completed])
        XCTAssertEqual(events(of: inferred), [.error(Failure.first)])
        XCTAssertEqual(events(of: Completable.error(Failure.first)), [.error(Failure.first)])
        XCTAssertEqual(events(of: Completable.never()), [])
        let typed: PrimitiveSequence<CompletableTrait, Never> = .empty()
        XCTAssertEqual(events(of: typed), [.completed])
        XCTAssertEqual(events(of: Observable.just(1).ignoreElements().asCompletable()), [.completed])
    }

    func testCompletablesAreSubscribedToAsInRxSwift() {
        let bag = DisposeBag()
        let seen = scheduler.createObserver(Int.self)
        done.subscribe { event in
            switch event {
            case .completed: seen.onNext(1)
            case .error(let error): seen.onError(error)
            }
        }.disposed(by: bag)
        done.subscribe(onCompleted: { seen.onNext(2) }, onError: { seen.onError($0) }, onDisposed: {}).disposed(by: bag)
        done.subscribe {
            seen.onNext(3)
        } onError: {
            print($0)
        }.disposed(by: bag)
        done.subscribe().disposed(by: bag)
        done.subscribe(
            with: self, onCompleted: { _ in seen.onNext(4) }, onError: { _, _ in }, onDisposed: { _ in }
        ).disposed(by: bag)
        XCTAssertEqual(seen.events.compactMap(\.value.element), [1, 2, 3, 4])
    }

    func testAndThenCompilesAsInRxSwift() {
        let single: Single<Int> = done.andThen(Single.just(1))
        let maybe: Maybe<Int> = done.andThen(Maybe.just(2))
        let completable: Completable = done.andThen(Completable.empty())
        let observable: Observable<Int> = done.andThen(Observable.of(3, 4))
        XCTAssertEqual([elements(of: single), elements(of: maybe), elements(of: observable)], [[1], [2], [3, 4]])
        XCTAssertEqual(events(of: completable), [.completed])
        XCTAssertEqual(elements(of: done.andThen(.just(1)) as Single<Int>), [1])
        let inferred: Observable<String> = done.andThen(.just("a"))
        XCTAssertEqual(elements(of: inferred), ["a"])
    }

    func testCompletablesAreConcatenatedAndZippedAsInRxSwift() {
        XCTAssertEqual(events(of: done.concat(.empty())), [.completed])
        XCTAssertEqual(events(of: Completable.concat(done, done)), [.completed])
        XCTAssertEqual(events(of: Completable.concat([done, done])), [.completed])
        XCTAssertEqual(events(of: Completable.concat(AnySequence([done]))), [.completed])
        XCTAssertEqual(events(of: Completable.zip(done, done)), [.completed])
        XCTAssertEqual(events(of: Completable.zip([done, .empty()])), [.completed])
        XCTAssertEqual(events(of: Completable.zip(AnyCollection([done]))), [.completed])
    }

    func testOperatorsOfAllTraitsWorkWithCompletables() {
        let failing = Completable.error(Failure.first)
        XCTAssertEqual(events(of: failing.catch { _ in .empty() }), [.completed])
        XCTAssertEqual(events(of: failing.retry(2)), [.error(Failure.first)])
        XCTAssertEqual(events(of: failing.retry(when: { errors in errors.take(1) })), [.completed])
        XCTAssertEqual(events(of: done.delay(.seconds(1), scheduler: scheduler)), [.completed])
        XCTAssertEqual(events(of: done.delaySubscription(.seconds(1), scheduler: scheduler)), [.completed])
        XCTAssertEqual(events(of: done.observe(on: scheduler).subscribe(on: scheduler).debug()), [.completed])
        XCTAssertEqual(events(of: Completable.deferred { .empty() }), [.completed])
        XCTAssertEqual(events(of: Completable.using({ BooleanDisposable() }) { _ in .empty() }), [.completed])
        XCTAssertEqual(
            events(of: Completable.never().timeout(.seconds(1), scheduler: scheduler)), [.error(RxError.timeout)])
        XCTAssertEqual(
            events(of: Completable.never().timeout(.seconds(1), other: .empty(), scheduler: scheduler)), [.completed])
        let watched = done.do(onCompleted: {})
            .do(
                onError: { _ in }, afterError: { _ in }, onCompleted: {}, afterCompleted: {}, onSubscribe: {},
                onSubscribed: {}, onDispose: {})
        XCTAssertEqual(events(of: watched), [.completed])
    }

    func testACompletableIsAwaited() async throws {
        try await done.value
        let nothing: Void = try await done.value
        XCTAssertTrue(nothing == ())
    }
}
