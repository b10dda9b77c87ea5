import Freshet
import FreshetTesting
import XCTest

/// Tests operators that programs add to the library, in the forms in which programmers share them.
final class CustomOperatorTests: XCTestCase {
    private let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    private let disposeBag = DisposeBag()

    func testCustomOperatorsTransformElements() throws {
        let numbers = Observable.of(1, 2, 3)
        XCTAssertEqual(
            try numbers.withPrevious().map { "\($0.map(String.init) ?? "-")\($1)" }.toBlocking().toArray(),
            ["-1", "12", "23"])
        XCTAssertEqual(try numbers.mapTo("x").toBlocking().toArray(), ["x", "x", "x"])
        XCTAssertEqual(try numbers.mapToVoid().toBlocking().toArray().count, 3)
        XCTAssertEqual(try Observable.of(true, false).not().toBlocking().toArray(), [false, true])
        XCTAssertEqual(try Observable.of("1", "x").apply { $0.compactMap { Int($0) } }.toBlocking().toArray(), [1])
        XCTAssertEqual(try Observable.of([1, 2], [3]).mapMany { $0 * 2 }.toBlocking().toArray(), [[2, 4], [6]])
    }

    func testCustomOperatorsTrackErrors() throws {
        let errors = ErrorTracker()
        var tracked: [String] = []
        errors.asObservable().subscribe(onNext: { tracked.append("\($0)") }).disposed(by: disposeBag)
        let value = try Observable<Int>.error(Failure.first).trackError(errors).catchErrorJustComplete()
            .toBlocking().first()
        XCTAssertNil(value)
        XCTAssertEqual(tracked, ["first"])
    }

    func testAnActivityIndicatorFollowsSubscriptions() {
        let indicator = ActivityIndicator()
        var active: [Bool] = []
        indicator.asObservable().subscribe(onNext: { active.append($0) }).disposed(by: disposeBag)
        let first = Observable.just(1).delay(.seconds(10), scheduler: scheduler).trackActivity(indicator).subscribe()
        let second = Single.just(1).trackActivity(indicator).subscribe()
        scheduler.advanceTo(20)
        Disposables.create(first, second).dispose()
        XCTAssertEqual(active, [false, true, false])
    }

    func testACustomPausableOperatorDropsElements() {
        let pauser = BehaviorSubject(value: false)
        let source = PublishSubject<Int>()
        var seen: [Int] = []
        source.pausable(pauser).subscribe(onNext: { seen.append($0) }).disposed(by: disposeBag)
        source.onNext(1)
        pauser.onNext(true)
        source.onNext(2)
        XCTAssertEqual(seen, [2])
        let trigger = PublishSubject<Void>()
        trigger.onNext()
    }
}

extension ObservableType {
    fileprivate func withPrevious() -> Observable<(Element?, Element)> {
        scan([]) { (history: [Element], element: Element) in Array(history.suffix(1)) + [element] }
            .map { ($0.count > 1 ? $0.first : nil, $0.last!) }
    }

    fileprivate func mapTo<Result>(_ value: Result) -> Observable<Result> { map { _ in value } }
    fileprivate func mapToVoid() -> Observable<Void> { map { _ in } }
    fileprivate func apply<Result>(_ transform: (Observable<Element>) -> Observable<Result>) -> Observable<Result> {
        transform(asObservable())
    }

    fileprivate func catchErrorJustComplete() -> Observable<Element> {
        self.catch { _ in Observable.empty() }
    }

    fileprivate func pausable<Pauser: ObservableType>(_ pauser: Pauser) -> Observable<Element>
    where Pauser.Element == Bool {
        withLatestFrom(pauser) { element, isOn in (element, isOn) }
            .filter { _, isOn in isOn }
            .map { element, _ in element }
    }
}

extension ObservableType where Element == Bool {
    fileprivate func not() -> Observable<Bool> { map { !$0 } }
}

extension ObservableType where Element: Collection {
    fileprivate func mapMany<Result>(_ transform: @escaping (Element.Element) -> Result) -> Observable<[Result]> {
        map { collection -> [Result] in collection.map(transform) }
    }
}

extension ObserverType where Element == Void {
    fileprivate func onNext() { onNext(()) }
}

private class ErrorTracker: ObservableConvertibleType {
    private let subject = PublishSubject<Error>()

    func asObservable() -> Observable<Error> { subject.asObservable() }
    func onError(_ error: Error) { subject.onNext(error) }
    deinit { subject.onCompleted() }
}

private class ActivityIndicator: ObservableConvertibleType {
    private let lock = NSRecursiveLock()
    private let relay = BehaviorRelay(value: 0)

    func track<Source: ObservableConvertibleType>(_ source: Source) -> Observable<Source.Element> {
        Observable.using(
            { () -> Token in
                self.change(by: 1)
                return Token { self.change(by: -1) }
            }, observableFactory: { _ in source.asObservable() })
    }

    private func change(by number: Int) {
        lock.lock()
        defer { lock.unlock() }
        relay.accept(relay.value + number)
    }

    func asObservable() -> Observable<Bool> { relay.map { $0 > 0 }.distinctUntilChanged() }

    private final class Token: Disposable {
        private let end: Cancelable
        init(_ action: @escaping () -> Void) { end = Disposables.create(with: action) }
        func dispose() { end.dispose() }
    }
}

extension ObservableConvertibleType {
    fileprivate func trackActivity(_ indicator: ActivityIndicator) -> Observable<Element> { indicator.track(self) }
    fileprivate func trackError(_ tracker: ErrorTracker) -> Observable<Element> {
        asObservable().do(onError: tracker.onError)
    }
}
