import Freshet
import FreshetTesting
import XCTest

final class SingleVocabularyTests: VocabularyTestCase {
    private let one = Single.just(1)
    private let failing = Single<Int>.error(Failure.first)

    func testSinglesAreCreatedAsInRxSwift() {
        let created = Single<Int>.create { single in
            single(.success(1))
            return Disposables.create()
        }
        let inferred: Single<String> = .create { single in
            single(.failure(Failure.first))
            return Disposables.create {}
        }
        let named = Single<Int>.create(subscribe: { (observer: @escaping Single<Int>.SingleObserver) -> Disposable in
            observer(SingleEvent.success(2))
            return Disposables.create()
        })
        XCTAssertEqual(elements(of: created), [1])
        XCTAssertEqual(events(of: inferred), [.error(Failure.first)])
        XCTAssertEqual(elements(of: named), [2])
        XCTAssertEqual(elements(of: Single.just(1, scheduler: scheduler)), [1])
        XCTAssertEqual(events(of: Single<Int>.never()), [])
        XCTAssertEqual(elements(of: PrimitiveSequence<SingleTrait, Int>.just(1)), [1])
        let typed: PrimitiveSequence<SingleTrait, Int> = .just(1)
        XCTAssertEqual(elements(of: typed), elements(of: typed.primitiveSequence))
    }

    func testSinglesAreCreatedFromTasks() async throws {
        let fromTask = Single<Int>.create { 1 }
        let work = Single<Int>.create(detached: true, priority: .userInitiated, work: { try await fromTask.value + 1 })
        let lazily = Single<Int>.create(detached: true) {
            try await Task.sleep(for: .zero)
            return 3
        }
        let inferred: Single<String> = .create(priority: .high) { "4" }
        let (first, second, third) = (try await fromTask.value, try await work.value, try await lazily.value)
        let fourth = try await inferred.value
        XCTAssertEqual([first, second, third], [1, 2, 3])
        XCTAssertEqual(fourth, "4")
    }

    func testSinglesAreSubscribedToAsInRxSwift() {
        let bag = DisposeBag()
        let seen = scheduler.createObserver(Int.self)
        one.subscribe { result in
            switch result {
            case .success(let element): seen.onNext(element)
            case .failure(let error): seen.onError(error)
            }
        }.disposed(by: bag)
        one.subscribe(onSuccess: { seen.onNext($0) }, onFailure: { seen.onError($0) }, onDisposed: {}).disposed(by: bag)
        one.subscribe(onSuccess: seen.onNext).disposed(by: bag)
        one.subscribe {
            seen.onNext($0)
        } onFailure: {
            print($0)
        }.disposed(by: bag)
        one.subscribe { (event: SingleEvent<Int>) in print(event) }.disposed(by: bag)
        one.subscribe().disposed(by: bag)
        failing.subscribe(onFailure: { seen.onError($0) }).disposed(by: bag)
        one.subscribe(
            with: self, onSuccess: { _, element in seen.onNext(element) },
            onFailure: { _, error in seen.onError(error) },
            onDisposed: { _ in }
        ).disposed(by: bag)
        XCTAssertEqual(seen.events.map(\.value.isStopEvent), [false, false, false, false, true, false])
    }

    func testSinglesAreTransformedAsInRxSwift() {
        XCTAssertEqual(elements(of: one.map { $0 + 1 }), [2])
        XCTAssertEqual(
            elements(
                of: one.map { number -> String in
                    guard number > 0 else { throw Failure.first }
                    return "\(number)"
                }), ["1"])
        let some: Maybe<Int> = one.filter { $0 > 1 }
        let text: Maybe<String> = one.compactMap { $0 > 0 ? "\($0)" : nil }
        let same: Single<Int> = one.flatMap { .just($0) }
        let maybe: Maybe<Int> = one.flatMapMaybe { .just($0) }
        let done: Completable = one.flatMapCompletable { _ in .empty() }
        XCTAssertEqual([elements(of: some), elements(of: same), elements(of: maybe)], [[], [1], [1]])
        XCTAssertEqual(elements(of: text), ["1"])
        XCTAssertEqual(elements(of: done.asObservable()).count, 0)
        XCTAssertEqual(elements(of: one.flatMap { Single.just("\($0)") }), ["1"])
        XCTAssertEqual(elements(of: one.asMaybe()), [1])
        XCTAssertEqual(events(of: one.asCompletable()), [.completed])
        XCTAssertEqual(elements(of: one.asObservable()), [1])
        XCTAssertEqual(elements(of: one.asObservable().asSingle()), [1])
    }

    func testSinglesAreZippedAsInRxSwift() {
        XCTAssertEqual(elements(of: Single.zip([one, one])), [[1, 1]])
        XCTAssertEqual(elements(of: Single.zip([one, one]) { $0.reduce(0, +) }), [2])
        XCTAssertEqual(elements(of: Single.zip(one, Single.just("a"), resultSelector: { "\($0)\($1)" })), ["1a"])
        let pair: Single<(Int, String)> = Single.zip(one, Single.just("a"))
        XCTAssertEqual(elements(of: pair.map { $0.1 }), ["a"])
    }

    func testOperatorsOfAllTraitsWorkWithSingles() {
        XCTAssertEqual(elements(of: failing.catchAndReturn(2)), [2])
        XCTAssertEqual(elements(of: failing.catch { _ in .just(3) }), [3])
        XCTAssertEqual(events(of: failing.retry(2)), [.error(Failure.first)])
        XCTAssertEqual(events(of: failing.retry { (errors: Observable<Failure>) in errors.take(2) }), [.completed])
        XCTAssertEqual(events(of: failing.retry(when: { errors in errors.take(1) })), [.completed])
        XCTAssertEqual(elements(of: one.retry()), [1])
        XCTAssertEqual(elements(of: one.delay(.seconds(1), scheduler: scheduler)), [1])
        XCTAssertEqual(elements(of: one.delaySubscription(.seconds(1), scheduler: scheduler)), [1])
        XCTAssertEqual(elements(of: one.observe(on: scheduler).subscribe(on: scheduler)), [1])
        XCTAssertEqual(elements(of: one.debug().debug("single", trimOutput: false)), [1])
        XCTAssertEqual(elements(of: Single.deferred { .just(1) }), [1])
        XCTAssertEqual(elements(of: Single<Int>.deferred { [one] in one }), [1])
        XCTAssertEqual(
            elements(of: Single.using({ BooleanDisposable() }, primitiveSequenceFactory: { _ in Single.just(1) })), [1])
        let late = Single<Int>.never().timeout(.seconds(1), scheduler: scheduler)
        XCTAssertEqual(events(of: late), [.error(RxError.timeout)])
        XCTAssertEqual(elements(of: Single.never().timeout(.seconds(1), other: one, scheduler: scheduler)), [1])
        XCTAssertEqual(elements(of: Single<Int>.timer(.seconds(1), scheduler: scheduler)), [0])
        let watched = one.do(onSuccess: { print($0) })
            .do(
                onSuccess: { _ in }, afterSuccess: { _ in }, onError: { _ in }, afterError: { _ in }, onSubscribe: {},
                onSubscribed: {}, onDispose: {})
        XCTAssertEqual(elements(of: watched), [1])
    }

    func testASingleIsAwaited() async throws {
        let success = try await one.value
        XCTAssertEqual(success, 1)
        do {
            _ = try await failing.value
            XCTFail("a failure has a value")
        } catch {
            XCTAssertEqual(error as? Failure, .first)
        }
    }
}
