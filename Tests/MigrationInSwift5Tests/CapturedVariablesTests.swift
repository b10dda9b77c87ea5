import Freshet
import FreshetTesting
import XCTest

/// In Swift 5 mode closures may capture variables, `self` and objects of any class without a warning.
final class CapturedVariablesTests: XCTestCase {
    private var bag = DisposeBag()
    private var count = 0

    func testClosuresCaptureVariablesOfAFunction() {
        var seen: [Int] = []
        var errors: [Error] = []
        var isDone = false
        var isDisposed = false
        Observable.of(1, 2, 3)
            .do(onNext: { seen.append(-$0) })
            .filter { number in
                seen.append(number)
                return number > 1
            }
            .map { seen.count + $0 }
            .scan(0) { total, next in
                seen.append(total)
                return total + next
            }
            .subscribe(
                onNext: { seen.append($0) }, onError: { errors.append($0) }, onCompleted: { isDone = true },
                onDisposed: { isDisposed = true }
            )
            .disposed(by: bag)
        XCTAssertTrue(isDone && isDisposed && errors.isEmpty)
        XCTAssertFalse(seen.isEmpty)
    }

    func testClosuresCaptureSelfAndItsVariables() {
        Observable.of(1, 2).subscribe(onNext: { [weak self] in self?.count += $0 }).disposed(by: bag)
        Observable.of(1, 2).subscribe(onNext: { [unowned self] in count += $0 }).disposed(by: bag)
        Single.just(1).subscribe(onSuccess: { self.count += $0 }).disposed(by: bag)
        Observable.of(1, 2).withUnretained(self).subscribe(onNext: { $0.count += $1 }).disposed(by: bag)
        Observable.of(1, 2).subscribe(with: self, onNext: { $0.count += $1 }).disposed(by: bag)
        Observable.of(1, 2).subscribe(onNext: add).disposed(by: bag)
        XCTAssertEqual(count, 16)
    }

    private func add(_ number: Int) { count += number }

    func testClosuresOfEveryKindOfOperatorCaptureVariables() {
        var calls = 0
        let source = PublishSubject<Int>()
        let other = Observable<Int>.create { observer in
            calls += 1
            observer.onNext(calls)
            observer.onCompleted()
            return Disposables.create { calls += 1 }
        }
        let deferred = Observable<Int>.deferred {
            calls += 1
            return other
        }
        source
            .flatMap { number -> Observable<Int> in
                calls += number
                return deferred
            }
            .flatMapLatest { _ in deferred.do(onNext: { _ in calls += 1 }) }
            .withLatestFrom(other) { calls += $0 + $1 }
            .catch { _ in
                calls += 1
                return .just(())
            }
            .retry(when: { errors in errors.map { _ in calls += 1 } })
            .share(replay: 1)
            .take(while: { _ in calls < 1000 })
            .subscribe()
            .disposed(by: bag)
        Observable.combineLatest(source, other) { calls += $0 + $1 }.subscribe().disposed(by: bag)
        Observable.zip(source, other) { calls += $0 + $1 }.subscribe().disposed(by: bag)
        source.onNext(1)
        XCTAssertGreaterThan(calls, 5)
    }

    func testOperatorsOfTimeAcceptObjectsOfAnyClass() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = PublishSubject<Person>()
        var names: [String] = []
        source
            .observe(on: scheduler)
            .subscribe(on: scheduler)
            .debounce(.seconds(1), scheduler: scheduler)
            .delay(.seconds(1), scheduler: scheduler)
            .throttle(.seconds(1), scheduler: scheduler)
            .timeout(.seconds(100), scheduler: scheduler)
            .buffer(timeSpan: .seconds(1), count: 1, scheduler: scheduler)
            .compactMap { $0.first }
            .subscribe(onNext: { names.append($0.name) })
            .disposed(by: bag)
        scheduler.scheduleAt(10) { source.onNext(Person("Ann")) }
        scheduler.advanceTo(50)
        XCTAssertEqual(names, ["Ann"])
        var late: [String] = []
        Single.just(Person("Bob")).delay(.seconds(1), scheduler: scheduler).observe(on: scheduler)
            .subscribe(onSuccess: { late.append($0.name) }).disposed(by: bag)
        scheduler.advanceTo(100)
        XCTAssertEqual(late, ["Bob"])
    }

    func testCombiningOperatorsAcceptObjectsOfAnyClass() {
        var names: [String] = []
        let ann = Observable.just(Person("Ann"))
        let bob = Observable.just(Person("Bob"))
        Observable.combineLatest(ann, bob).subscribe(onNext: { names.append($0.name + $1.name) }).disposed(by: bag)
        Observable.zip(ann, bob, ann) { $0.name + $1.name + $2.name }.subscribe(onNext: { names.append($0) })
            .disposed(by: bag)
        Observable.merge(ann, bob).toArray().subscribe(onSuccess: { names += $0.map(\.name) }).disposed(by: bag)
        Observable.from([Person("Cat")]).distinctUntilChanged(at: \.name).startWith(Person("Dan"))
            .ifEmpty(default: Person("Eve")).catchAndReturn(Person("Fay"))
            .subscribe(onNext: { names.append($0.name) }).disposed(by: bag)
        ann.catch { _ in bob }.materialize().subscribe(onNext: { names.append($0.element?.name ?? "|") }).disposed(
            by: bag)
        XCTAssertEqual(names, ["AnnBob", "AnnBobAnn", "Ann", "Bob", "Dan", "Cat", "Ann", "|"])
    }

    func testObjectsOfAnyClassAreAwaited() async throws {
        let person = try await Single.just(Person("Ann")).value
        XCTAssertEqual(person.name, "Ann")
        for try await person in Observable.just(Person("Ann")).values { XCTAssertEqual(person.name, "Ann") }
        let made = try await Single<Person>.create { Person("Bob") }.value
        XCTAssertEqual(made.name, "Bob")
    }
}

private class Person {
    var name: String

    init(_ name: String) {
        self.name = name
    }
}
