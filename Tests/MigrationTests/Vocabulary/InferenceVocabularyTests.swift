import Freshet
import FreshetTesting
import XCTest

/// Tests the forms of calls that differ in which types are written, which ones the compiler infers, and where.
final class InferenceVocabularyTests: VocabularyTestCase {
    private enum Action: Equatable { case add, remove(Int) }
    private struct Item: Equatable, Sendable { var id = 0, name = "" }

    private let numbers = Observable.of(1, 2, 3)

    func testTypesAreInferredWithAndWithoutAnnotations() {
        let typed: Observable<Int> = numbers.map { $0 * 2 }
        let untyped = numbers.map { $0 * 2 }
        func returned() -> Observable<Int> {
            let mapped = numbers.map { $0 * 2 }
            return mapped
        }
        func chained() -> Observable<String> {
            numbers
                .filter { $0 > 1 }
                .map { number in
                    let text = "\(number)"
                    return text + text
                }
        }
        var stored: Observable<Int> { numbers.scan(0) { $0 + $1 }.filter { $0 > 1 } }
        let opaque: some ObservableType<Int> = numbers.map { $0 + 1 }
        XCTAssertEqual(elements(of: typed), elements(of: untyped))
        XCTAssertEqual(elements(of: returned()), [2, 4, 6])
        XCTAssertEqual(elements(of: chained()), ["22", "33"])
        XCTAssertEqual(elements(of: stored), [3, 6])
        XCTAssertEqual(elements(of: opaque), [2, 3, 4])
    }

    func testALongChainCompilesWithoutTypes() {
        let text =
            numbers
            .map { $0 + 1 }
            .filter { $0 % 2 == 0 }
            .map { $0 / 2 }
            .filter { $0 < 10 }
            .flatMap { Observable.of($0, $0 * 2) }
            .map { "\($0)" }
            .filter { !$0.isEmpty }
            .scan("") { $0 + $1 }
            .distinctUntilChanged()
            .map { $0.count }
            .filter { $0 > 0 }
            .withLatestFrom(Observable.just("x")) { "\($0)\($1)" }
            .startWith("first")
            .compactMap { Optional($0) }
            .map { "\($0)!" }
            .filter { $0.hasSuffix("!") }
            .map { $0.uppercased() }
            .share(replay: 1)
            .takeLast(1)
        XCTAssertEqual(elements(of: text), ["4X!"])
    }

    func testClosuresWithTuplesCompile() {
        let pairs = Observable.zip(numbers, numbers.skip(1))
        XCTAssertEqual(elements(of: pairs.map { first, second in first + second }), [3, 5])
        XCTAssertEqual(elements(of: pairs.map { $0 + $1 }), [3, 5])
        XCTAssertEqual(elements(of: pairs.map { $0.0 }), [1, 2])
        XCTAssertEqual(elements(of: pairs.filter { $0 < $1 }.map { $1 }), [2, 3])
        XCTAssertEqual(elements(of: pairs.map { (pair: (Int, Int)) in pair.0 }), [1, 2])
        pairs.subscribe(onNext: { first, second in print(first, second) }).dispose()
        pairs.subscribe(onNext: { pair in print(pair.0) }).dispose()
        let labelled = Observable.combineLatest(numbers, numbers) { (left: $0, right: $1) }
        XCTAssertEqual(elements(of: labelled.map { $0.left * $0.right }).last, 9)
        let nested = Observable.just("a").withLatestFrom(
            Observable.combineLatest(Observable.just(1), Observable.just(2))
        ) {
            ($0, $1.0, $1.1)
        }
        XCTAssertEqual(elements(of: nested.map { "\($0)\($1)\($2)" }), ["a12"])
    }

    func testCasesOfAnEnumerationAreInferred() {
        let merged: Observable<Action> = .merge(numbers.map { .remove($0) }, Observable.just(()).map { .add })
        let listed = Observable<Action>.merge([numbers.map { _ in .add }, .just(.remove(1))])
        XCTAssertEqual(elements(of: merged).count, 4)
        XCTAssertEqual(elements(of: listed.takeLast(1)), [.add])
        let started: Observable<[Int]> = numbers.map { [$0] }.startWith([])
        let optional: Observable<Int?> = numbers.map { $0 }.startWith(nil)
        XCTAssertEqual(elements(of: started).first, [])
        XCTAssertEqual(elements(of: optional).first, .some(nil))
        XCTAssertEqual(elements(of: numbers.map { _ in }.startWith(())).count, 4)
        XCTAssertEqual(elements(of: numbers.map { _ in () }).count, 3)
    }

    func testClosuresThatReturnStreamsCompile() {
        let guarded = numbers.flatMap { number -> Observable<String> in
            guard number > 1 else { return .empty() }
            if number > 2 { return .error(Failure.first) }
            return Observable.just("\(number)").delay(.seconds(1), scheduler: CurrentThreadScheduler.clock)
        }
        XCTAssertEqual(events(of: guarded.catch { error -> Observable<String> in .just("\(error)") }).last, .completed)
        let switched = numbers.flatMapLatest { number in
            Single.just(number).map { $0 * 2 }
        }
        XCTAssertEqual(elements(of: switched).last, 6)
        let conditional = numbers.concatMap { $0 > 2 ? Observable.of($0, $0) : Observable.just($0) }
        XCTAssertEqual(elements(of: conditional), [1, 2, 3, 3])
        let single = Single.just(1).flatMap { number -> Single<String> in
            if number == 0 { return .error(Failure.first) }
            return .just("\(number)")
        }
        XCTAssertEqual(elements(of: single), ["1"])
        let created = Observable<Int>.create { [numbers] observer in
            guard !numbers.isShared else {
                observer.onCompleted()
                return Disposables.create()
            }
            return numbers.subscribe(observer)
        }
        XCTAssertEqual(elements(of: created), [1, 2, 3])
        let deferred: Observable<Int> = .deferred { [numbers] in
            if numbers.isShared { throw Failure.first }
            return numbers
        }
        XCTAssertEqual(elements(of: deferred.map { $0 }), [1, 2, 3])
    }

    func testStreamsOfStreamsCompile() {
        let first = BehaviorSubject(value: "a"), second = BehaviorSubject(value: "b")
        let current = BehaviorSubject(value: first)
        let bag = DisposeBag()
        let seen = scheduler.createObserver(String.self)
        current.switchLatest().subscribe(seen).disposed(by: bag)
        current.asObservable().flatMap { $0 }.subscribe().disposed(by: bag)
        current.flatMapLatest { subject in subject.map { $0 } }.subscribe().disposed(by: bag)
        current.onNext(second)
        XCTAssertEqual(seen.events.compactMap(\.value.element), ["a", "b"])
        let streams = BehaviorRelay<[Observable<Int>]>(value: [numbers, numbers])
        XCTAssertEqual(elements(of: streams.take(1).flatMap { Observable.merge($0) }).count, 6)
        XCTAssertEqual(elements(of: Observable.combineLatest(streams.value.map { $0.asObservable() })).last, [3, 3])
        XCTAssertEqual(elements(of: Observable.combineLatest(streams.value) { $0.allSatisfy { $0 > 0 } }).last, true)
    }

    func testSubscribeCompilesWithoutSomeClosures() {
        let bag = DisposeBag()
        numbers.subscribe(onNext: { print($0) }, onError: nil, onCompleted: nil, onDisposed: nil).disposed(by: bag)
        numbers.subscribe(onNext: nil).disposed(by: bag)
        numbers.do(onNext: nil, onCompleted: { print("done") }).subscribe().disposed(by: bag)
        numbers.toArray().subscribe { print($0) }.disposed(by: bag)
        numbers.toArray().subscribe(onSuccess: { print($0) }).disposed(by: bag)
        let subscription: Disposable? = numbers.subscribe()
        let all: [Disposable] = [numbers.subscribe(), Disposables.create()]
        subscription?.dispose()
        all.forEach { $0.dispose() }
        let event = Event.next(1)
        if case .next(let number) = event { XCTAssertEqual(number, 1) }
        guard case .next = event else { return XCTFail("no element") }
    }

    func testASubjectConvertsToAnObserverAndAnObservable() {
        let subject = ReplaySubject<Int>.create(bufferSize: 1)
        let input: AnyObserver<Int> = subject.asObserver()
        let output: Observable<Int> = subject.asObservable()
        input.onNext(1)
        XCTAssertEqual(elements(of: output.take(1)), [1])
        let texts: AnyObserver<String> = input.mapObserver { Int($0) ?? 0 }
        texts.onNext("2")
        XCTAssertEqual(elements(of: output.take(1)), [2])
    }

    func testGenericFunctionsAcceptStreams() {
        func latest<Source: ObservableConvertibleType>(_ source: Source) -> Single<[Source.Element]> {
            source.asObservable().takeLast(1).toArray()
        }
        func both<A: ObservableType, B: ObservableType>(_ a: A, _ b: B) -> Observable<(A.Element, B.Element)> {
            Observable.zip(a, b)
        }
        func text<Value>(_ values: Observable<Value>) -> Observable<String>
        where Value: CustomStringConvertible & SendableMetatype {
            values.map { $0.description }
        }
        func any(_ source: any ObservableConvertibleType<Int>) -> Observable<Int> { source.asObservable() }
        XCTAssertEqual(elements(of: latest(numbers)), [[3]])
        XCTAssertEqual(elements(of: latest(Single.just(1))), [[1]])
        XCTAssertEqual(elements(of: both(numbers, numbers).map { $0 + $1 }), [2, 4, 6])
        XCTAssertEqual(elements(of: text(numbers)), ["1", "2", "3"])
        XCTAssertEqual(elements(of: any(Maybe.just(1))), [1])
    }

    func testPropertiesAndKeyPathsAreInferred() {
        let items = Observable.of(Item(id: 1, name: "a"), Item(id: 1, name: "b"), Item(id: 2, name: "c"))
        XCTAssertEqual(elements(of: items.map(\.name)), ["a", "b", "c"])
        XCTAssertEqual(elements(of: items.distinctUntilChanged(\.id).map(\.name)), ["a", "c"])
        XCTAssertEqual(elements(of: items.distinctUntilChanged(at: \.id).map { $0.name }), ["a", "c"])
        XCTAssertEqual(elements(of: items.distinctUntilChanged { $0.id == $1.id }.map(\.id)), [1, 2])
        XCTAssertEqual(elements(of: items.distinctUntilChanged { old, new in old.id == new.id }.map(\.id)), [1, 2])
        let byID = items.groupBy { $0.id }.flatMap { group in group.map { "\(group.key)\($0.name)" } }
        XCTAssertEqual(elements(of: byID), ["1a", "1b", "2c"])
        let relay = BehaviorRelay(value: [Item(id: 1)])
        relay.accept(relay.value + [Item(id: 2)])
        relay.accept(relay.value.filter { $0.id > 1 })
        XCTAssertEqual(elements(of: relay.map { $0.map(\.id) }.take(1)), [[2]])
        XCTAssertEqual(elements(of: relay.asObservable().map(\.count).take(1)), [1])
    }
}

extension Observable {
    fileprivate var isShared: Bool { self is ConnectableObservable<Element> }
}

extension CurrentThreadScheduler {
    fileprivate static var clock: SchedulerType { TestScheduler(initialClock: 0) }
}
