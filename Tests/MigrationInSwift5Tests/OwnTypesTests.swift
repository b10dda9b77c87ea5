import Freshet
import FreshetTesting
import XCTest

/// Tests types that programs build on the protocols, as classes with variables, and generic operators.
final class OwnTypesTests: XCTestCase {
    private let bag = DisposeBag()

    func testAnOwnDisposableIsDisposedOf() {
        let timer = Countdown()
        timer.disposed(by: bag)
        CompositeDisposable(timer, Disposables.create()).dispose()
        XCTAssertTrue(timer.isDisposed)
    }

    func testAnOwnObserverReceivesElements() {
        let collector = Collector<Int>()
        Observable.of(1, 2).subscribe(collector).disposed(by: bag)
        Observable.of(3).subscribe(onNext: collector.onNext).disposed(by: bag)
        XCTAssertEqual(collector.elements, [1, 2, 3])
    }

    func testAnOwnObservableEmitsElements() {
        let variable = Variable(1)
        let collector = Collector<Int>()
        variable.asObservable().subscribe(collector).disposed(by: bag)
        variable.map { $0 * 2 }.subscribe(collector).disposed(by: bag)
        variable.value = 2
        XCTAssertEqual(collector.elements, [1, 2, 2, 4])
        XCTAssertEqual(variable.value, 2)
    }

    func testAnOwnSchedulerRunsWork() {
        let scheduler = CountingScheduler()
        let collector = Collector<Int>()
        Observable.of(1, 2, scheduler: scheduler).observe(on: scheduler).subscribe(collector).disposed(by: bag)
        XCTAssertEqual(collector.elements, [1, 2])
        XCTAssertGreaterThan(scheduler.count, 0)
    }

    func testAnOwnSchedulerRunsOperatorsOfTime() {
        let base = TestScheduler(initialClock: 0)
        let scheduler = ShiftingScheduler(base: base)
        let collector = Collector<Int>()
        Observable.just(1).delay(.seconds(1), scheduler: scheduler).subscribe(collector).disposed(by: bag)
        Observable<Int>.interval(.seconds(5), scheduler: scheduler).subscribe(collector).disposed(by: bag)
        base.advanceTo(12)
        XCTAssertEqual(collector.elements, [1, 0, 1])
        XCTAssertEqual(scheduler.calls, 4)
    }

    func testReactiveExtensionsBindProperties() {
        let player = Player()
        Observable.of(1, 2).bind(to: player.rx.volume).disposed(by: bag)
        Observable.just("song").bind(to: player.rx.titles).disposed(by: bag)
        let binder: Binder<Int> = player.rx.volume
        binder.onNext(5)
        XCTAssertEqual(player.volume, 5)
        XCTAssertEqual(player.title, "song")
    }

    func testOwnOperatorsTransformStreams() {
        let collector = Collector<String>()
        Observable.of(1, nil, 2, 2).unwrapped().changes().logged("number").map { "\($0)" }.subscribe(collector)
            .disposed(by: bag)
        Observable.of("a", "").filterEmpty().subscribe(collector).disposed(by: bag)
        Observable<String>.error(Failure.first).ignoringErrors().subscribe(collector).disposed(by: bag)
        XCTAssertEqual(collector.elements, ["1", "2", "a"])
    }
}

private class Countdown: Cancelable {
    var remaining = 3
    var isDisposed: Bool { remaining == 0 }

    func dispose() { remaining = 0 }
}

private class Collector<Element>: ObserverType {
    var elements: [Element] = []
    var isStopped = false

    func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): elements.append(element)
        case .error, .completed: isStopped = true
        }
    }
}

private class Variable<Element>: ObservableType {
    private let subject: BehaviorSubject<Element>
    private var current: Element

    var value: Element {
        get { current }
        set {
            current = newValue
            subject.onNext(newValue)
        }
    }

    init(_ value: Element) {
        current = value
        subject = BehaviorSubject(value: value)
    }

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> Disposable where Observer.Element == Element {
        subject.subscribe(observer)
    }
}

private class CountingScheduler: ImmediateSchedulerType {
    var count = 0

    func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> Disposable) -> Disposable {
        count += 1
        return action(state)
    }
}

private class ShiftingScheduler: SchedulerType {
    let base: TestScheduler
    var calls = 0
    var now: Instant { base.now }

    init(base: TestScheduler) {
        self.base = base
    }

    func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> Disposable) -> Disposable {
        scheduleRelative(state, dueTime: .milliseconds(0), action: action)
    }

    func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> Disposable
    ) -> Disposable {
        calls += 1
        return base.scheduleRelative(state, dueTime: dueTime, action: action)
    }
}

private class Player: NSObject {
    var volume = 0
    var title = ""
}

extension Reactive where Base: Player {
    fileprivate var titles: Binder<String> {
        Binder(base) { player, title in player.title = title }
    }
}

private protocol OptionalType {
    associatedtype Wrapped
    var value: Wrapped? { get }
}

extension Optional: OptionalType {
    fileprivate var value: Wrapped? { self }
}

extension ObservableType where Element: OptionalType {
    fileprivate func unwrapped() -> Observable<Element.Wrapped> {
        flatMap { element -> Observable<Element.Wrapped> in
            guard let value = element.value else { return Observable.empty() }
            return Observable.just(value)
        }
    }
}

extension ObservableType where Element: Equatable {
    fileprivate func changes() -> Observable<Element> {
        distinctUntilChanged()
    }
}

extension ObservableType where Element: Collection {
    fileprivate func filterEmpty() -> Observable<Element> {
        filter { !$0.isEmpty }
    }
}

extension ObservableType {
    fileprivate func logged(_ name: String, to log: @escaping (String) -> Void = { print($0) }) -> Observable<Element> {
        var count = 0
        return self.do(onNext: { element in
            count += 1
            log("\(name) \(count): \(element)")
        })
    }

    fileprivate func ignoringErrors() -> Observable<Element> {
        Observable.create { observer in
            self.subscribe { event in
                switch event {
                case .next(let element): observer.onNext(element)
                case .error: observer.onCompleted()
                case .completed: observer.onCompleted()
                }
            }
        }
    }
}
