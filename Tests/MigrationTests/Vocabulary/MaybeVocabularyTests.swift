import Freshet
import FreshetTesting
import XCTest

final class MaybeVocabularyTests: VocabularyTestCase {
    private let one = Maybe.just(1)
    private let none = Maybe<Int>.empty()

    func testMaybesAreCreatedAsInRxSwift() {
        let created = Maybe<Int>.create { maybe in
            maybe(.success(1))
            return Disposables.create()
        }
        let inferred: Maybe<Int> = .create { maybe in
            maybe(.completed)
            maybe(.error(Failure.first))
            return Disposables.create {}
        }
        XCTAssertEqual(elements(of: created), [1])
        XCTAssertEqual(events(of: inferred), [.completed])
        XCTAssertEqual(elements(of: Maybe.just(1, scheduler: scheduler)), [1])
        XCTAssertEqual(events(of: Maybe<Int>.error(Failure.first)), [.error(Failure.first)])
        XCTAssertEqual(events(of: Maybe<Int>.never()), [])
        let typed: PrimitiveSequence<MaybeTrait, Int> = .just(1)
        XCTAssertEqual(elements(of: typed), [1])
    }

    func testMaybesAreSubscribedToAsInRxSwift() {
        let bag = DisposeBag()
        let seen = scheduler.createObserver(Int.self)
        one.subscribe { event in
            switch event {
            case .success(let element): seen.onNext(element)
            case .error(let error): seen.onError(error)
            case .completed: seen.onCompleted()
            }
        }.disposed(by: bag)
        one.subscribe(
            onSuccess: { seen.onNext($0) }, onError: { seen.onError($0) }, onCompleted: { seen.onCompleted() },
            onDisposed: {}
        ).disposed(by: bag)
        none.subscribe(onCompleted: { seen.onCompleted() }).disposed(by: bag)
        one.subscribe {
            seen.onNext($0)
        } onError: { _ in
        } onCompleted: {
        }.disposed(by: bag)
        one.subscribe().disposed(by: bag)
        one.subscribe(
            with: self, onSuccess: { _, element in seen.onNext(element) }, onError: { _, _ in }, onCompleted: { _ in },
            onDisposed: { _ in }
        ).disposed(by: bag)
        XCTAssertEqual(seen.events.map(\.value.isStopEvent), [false, false, true, false, false])
    }

    func testMaybesAreTransformedAsInRxSwift() {
        XCTAssertEqual(elements(of: one.map { $0 + 1 }), [2])
        XCTAssertEqual(elements(of: one.filter { $0 > 1 }), [])
        XCTAssertEqual(elements(of: one.compactMap { $0 > 0 ? "\($0)" : nil }), ["1"])
        XCTAssertEqual(elements(of: one.flatMap { .just($0) }), [1])
        XCTAssertEqual(elements(of: one.flatMap { Maybe.just("\($0)") }), ["1"])
        let defaulted: Single<Int> = none.ifEmpty(default: 2)
        let switched: Maybe<Int> = none.ifEmpty(switchTo: one)
        let filled: Single<Int> = none.ifEmpty(switchTo: Single.just(3))
        let ambiguous: Single<Int> = none.ifEmpty(switchTo: .just(4))
        XCTAssertEqual(elements(of: defaulted), [2])
        XCTAssertEqual(elements(of: switched), [1])
        XCTAssertEqual([elements(of: filled), elements(of: ambiguous)], [[3], [4]])
        XCTAssertEqual(events(of: none.asSingle()), [.error(RxError.noElements)])
        XCTAssertEqual(events(of: one.asCompletable()), [.completed])
        XCTAssertEqual(elements(of: one.asObservable().asMaybe()), [1])
    }

    func testOperatorsOfAllTraitsWorkWithMaybes() {
        let failing = Maybe<Int>.error(Failure.first)
        XCTAssertEqual(elements(of: failing.catchAndReturn(2)), [2])
        XCTAssertEqual(elements(of: failing.catch { _ in .just(3) }), [3])
        XCTAssertEqual(events(of: failing.retry(2)), [.error(Failure.first)])
        XCTAssertEqual(events(of: failing.retry(when: { errors in errors.take(1) })), [.completed])
        XCTAssertEqual(elements(of: one.delay(.seconds(1), scheduler: scheduler)), [1])
        XCTAssertEqual(elements(of: one.delaySubscription(.seconds(1), scheduler: scheduler)), [1])
        XCTAssertEqual(elements(of: one.observe(on: scheduler).subscribe(on: scheduler).debug()), [1])
        XCTAssertEqual(elements(of: Maybe.deferred { .just(1) }), [1])
        XCTAssertEqual(elements(of: Maybe.using({ BooleanDisposable() }) { _ in .just(1) }), [1])
        XCTAssertEqual(elements(of: Maybe.never().timeout(.seconds(1), other: one, scheduler: scheduler)), [1])
        XCTAssertEqual(elements(of: Maybe<Int>.timer(.seconds(1), scheduler: scheduler)), [0])
        let watched = one.do(onNext: { print($0) })
            .do(
                onNext: { _ in }, afterNext: { _ in }, onError: { _ in }, afterError: { _ in }, onCompleted: {},
                afterCompleted: {}, onSubscribe: {}, onSubscribed: {}, onDispose: {})
        XCTAssertEqual(elements(of: watched), [1])
    }

    func testAMaybeIsAwaited() async throws {
        let some = try await one.value
        let nothing = try await none.value
        XCTAssertEqual([some, nothing], [1, nil])
    }
}
