import Freshet
import FreshetTesting
import XCTest

final class InfallibleVocabularyTests: VocabularyTestCase {
    private let numbers = Infallible.of(1, 2, 3)

    func testInfalliblesAreCreatedAsInRxSwift() {
        let created = Infallible<Int>.create { observer in
            observer(.next(1))
            observer(.completed)
            return Disposables.create()
        }
        XCTAssertEqual(elements(of: created), [1])
        XCTAssertEqual(elements(of: Infallible.just(1)), [1])
        XCTAssertEqual(elements(of: Infallible.just(1, scheduler: scheduler)), [1])
        XCTAssertEqual(elements(of: Infallible.from([1, 2])), [1, 2])
        XCTAssertEqual(elements(of: Infallible<Int>.empty()), [])
        XCTAssertEqual(events(of: Infallible<Int>.never()), [])
        XCTAssertEqual(elements(of: Infallible.deferred { .just(1) }), [1])
        let typed: Infallible<String> = .just("a")
        XCTAssertEqual(elements(of: typed), ["a"])
    }

    func testAsInfallibleCompilesAsInRxSwift() {
        let failing = Observable<Int>.error(Failure.first)
        XCTAssertEqual(elements(of: failing.asInfallible(onErrorJustReturn: 1)), [1])
        XCTAssertEqual(elements(of: failing.asInfallible(onErrorFallbackTo: .just(2))), [2])
        XCTAssertEqual(elements(of: failing.asInfallible(onErrorRecover: { _ in .just(3) })), [3])
        XCTAssertEqual(elements(of: failing.asInfallible { _ in Infallible.just(3) }), [3])
        XCTAssertEqual(elements(of: Single<Int>.error(Failure.first).asInfallible(onErrorJustReturn: 4)), [4])
        let completable = Completable.error(Failure.first).asInfallible(onErrorFallbackTo: .empty())
        XCTAssertEqual(events(of: completable), [.completed])
    }

    func testOperatorsOfInfalliblesCompileAsInRxSwift() {
        XCTAssertEqual(elements(of: numbers.map { $0 * 2 }), [2, 4, 6])
        XCTAssertEqual(elements(of: numbers.map(\.description)), ["1", "2", "3"])
        XCTAssertEqual(elements(of: numbers.compactMap { $0 > 1 ? $0 : nil }), [2, 3])
        XCTAssertEqual(elements(of: numbers.filter { $0 > 1 }), [2, 3])
        XCTAssertEqual(elements(of: numbers.scan(0) { $0 + $1 }), [1, 3, 6])
        XCTAssertEqual(elements(of: numbers.scan(into: 0) { $0 += $1 }), [1, 3, 6])
        XCTAssertEqual(elements(of: numbers.distinctUntilChanged()), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.distinctUntilChanged { $0 % 2 }), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.distinctUntilChanged { $0 < $1 }), [1])
        XCTAssertEqual(elements(of: numbers.distinctUntilChanged(at: \.description)), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.flatMap { Infallible.just($0) }), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.flatMapLatest { Infallible.just($0) }), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.flatMapFirst { Infallible.just($0) }), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.concatMap { Infallible.just($0) }), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.concat(numbers)), [1, 2, 3, 1, 2, 3])
        XCTAssertEqual(elements(of: Infallible.concat([numbers, .just(4)])), [1, 2, 3, 4])
        XCTAssertEqual(elements(of: Infallible.concat(numbers, .just(4))), [1, 2, 3, 4])
        XCTAssertEqual(elements(of: Infallible.merge(numbers, .empty())), [1, 2, 3])
        XCTAssertEqual(elements(of: Infallible.merge([numbers, .empty()])), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.startWith(0)), [0, 1, 2, 3])
        XCTAssertEqual(elements(of: numbers.take(1)), [1])
        XCTAssertEqual(elements(of: numbers.takeLast(1)), [3])
        XCTAssertEqual(elements(of: numbers.take(until: Infallible<Int>.never())), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.take(until: { $0 == 2 }, behavior: .inclusive)), [1, 2])
        XCTAssertEqual(elements(of: numbers.take(while: { $0 < 2 })), [1])
        XCTAssertEqual(elements(of: numbers.skip(1)), [2, 3])
        XCTAssertEqual(elements(of: numbers.skip(while: { $0 < 2 })), [2, 3])
        XCTAssertEqual(elements(of: numbers.share(replay: 1)), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.withLatestFrom(Infallible.just("a")) { "\($0)\($1)" }), ["1a", "2a", "3a"])
        XCTAssertEqual(elements(of: numbers.withUnretained(self).map { $0.1 }), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.debounce(.seconds(1), scheduler: scheduler)), [3])
        XCTAssertEqual(elements(of: numbers.throttle(.seconds(1), scheduler: scheduler)), [1, 3])
        XCTAssertEqual(elements(of: numbers.delay(.seconds(1), scheduler: scheduler)), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.observe(on: scheduler).subscribe(on: scheduler)), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.debug("numbers").do(onNext: { _ in }, onCompleted: {})), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.asObservable().map { $0 }), [1, 2, 3])
    }

    func testInfalliblesAreSubscribedToAsInRxSwift() {
        let bag = DisposeBag()
        let seen = scheduler.createObserver(Int.self)
        numbers.subscribe(onNext: { seen.onNext($0) }).disposed(by: bag)
        numbers.subscribe(onNext: { seen.onNext($0) }, onCompleted: {}, onDisposed: {}).disposed(by: bag)
        numbers.subscribe { event in
            switch event {
            case .next(let number): seen.onNext(number)
            case .completed: break
            }
        }.disposed(by: bag)
        numbers.subscribe(with: self, onNext: { _, number in seen.onNext(number) }).disposed(by: bag)
        numbers.bind(to: seen).disposed(by: bag)
        numbers.bind(onNext: { seen.onNext($0) }).disposed(by: bag)
        let relay = BehaviorRelay(value: 0)
        numbers.bind(to: relay).disposed(by: bag)
        XCTAssertEqual(relay.value, 3)
        XCTAssertEqual(seen.events.compactMap(\.value.element).count, 15 + 3)
    }

    func testTwoToEightInfalliblesAreCombinedAndZipped() {
        let a = Infallible.just(1), b = Infallible.just(2), c = Infallible.just(3), d = Infallible.just(4)
        let e = Infallible.just(5), f = Infallible.just(6), g = Infallible.just(7), h = Infallible.just(8)
        let latest = Infallible.combineLatest(a, b, c, d, e, f, g, h) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }
        let zipped = Infallible.zip(a, b, c, d, e, f, g, h) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }
        let tuples = Infallible.combineLatest(a, b, c, d, e, f, g, h).map { $0.0 + $0.7 }
        let zippedTuples = Infallible.zip(a, b, c, d, e, f, g, h).map { $0.0 + $0.7 }
        XCTAssertEqual([elements(of: latest), elements(of: zipped)], [[36], [36]])
        XCTAssertEqual([elements(of: tuples), elements(of: zippedTuples)], [[9], [9]])
        XCTAssertEqual(elements(of: Infallible.combineLatest(a, b) { $0 + $1 }), [3])
        XCTAssertEqual(elements(of: Infallible.combineLatest([a, b]) { $0.reduce(0) { $0 + $1 } }), [3])
        XCTAssertEqual(elements(of: Infallible.combineLatest([a, b])), [[1, 2]])
        XCTAssertEqual(elements(of: Infallible.zip(a, b, c) { "\($0)\($1)\($2)" }), ["123"])
    }

    func testAnInfallibleIsReadAsAnAsyncSequence() async {
        var seen: [Int] = []
        for await number in numbers.values { seen.append(number) }
        XCTAssertEqual(seen, [1, 2, 3])
    }
}
