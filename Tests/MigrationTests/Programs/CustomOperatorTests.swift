import Freshet
import FreshetTesting
import Synchronization
import XCTest

/// Tests operators and types that programs add, in Swift 6 mode: closures are `@Sendable`, compared keys have sendable
/// metatypes, and a type with state keeps it in a subject, in a relay or under a lock.
final class CustomOperatorTests: XCTestCase {
    private let disposeBag = DisposeBag()
    private let scheduler = TestScheduler(initialClock: 0)

    func testCustomOperatorsCompileAndWork() throws {
        XCTAssertEqual(try Observable.of(1, nil, 2, 2).unwrapped().changes().toBlocking().toArray(), [1, 2])
        XCTAssertEqual(try Observable.of([1, 2], [3]).mapMany { $0 * 2 }.toBlocking().toArray(), [[2, 4], [6]])
        XCTAssertEqual(try Observable.of(1, 2, 3).evenOnes().toBlocking().toArray(), [2])
        let logged = scheduler.createObserver(String.self)
        _ = try Observable.of("a", "b").logged { logged.onNext($0) }.toBlocking().last()
        XCTAssertEqual(logged.events.compactMap(\.value.element), ["1: a", "2: b"])
        let empty = Observable<Int>.error(Failure.first).ignoringErrors()
        XCTAssertEqual(try empty.toBlocking().toArray(), [])
    }

    func testCustomStreamAndDisposableTypesCompileAndWork() {
        let variable = Variable(1)
        let seen = scheduler.createObserver(Int.self)
        variable.map { $0 * 2 }.subscribe(seen).disposed(by: disposeBag)
        variable.value = 2
        XCTAssertEqual(seen.events.compactMap(\.value.element), [2, 4])
        let countdown = Countdown()
        countdown.disposed(by: disposeBag)
        countdown.dispose()
        XCTAssertTrue(countdown.isDisposed)
    }

    @MainActor
    func testAnObjectOfTheMainActorSubscribesAndBinds() async {
        let page = Page()
        page.show(Observable.of("a", "b").observe(on: MainScheduler.instance))
        XCTAssertEqual(page.title, "b")
        page.bind(Observable.of("c", "d"))
        XCTAssertEqual(page.title, "d")
    }
}

@MainActor
private final class Page {
    private(set) var title = ""
    private let disposeBag = DisposeBag()

    func show(_ titles: Observable<String>) {
        titles
            .subscribe(onNext: { [weak self] title in MainActor.assumeIsolated { self?.title = title } })
            .disposed(by: disposeBag)
    }

    func bind(_ titles: Observable<String>) {
        titles.bind(to: Binder(self) { page, title in page.title = title }).disposed(by: disposeBag)
    }
}

private final class Variable<Element: Sendable>: ObservableType {
    private let relay: BehaviorRelay<Element>

    var value: Element {
        get { relay.value }
        set { relay.accept(newValue) }
    }

    init(_ value: Element) {
        relay = BehaviorRelay(value: value)
    }

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> Disposable where Observer.Element == Element {
        relay.subscribe(observer)
    }
}

private final class Countdown: Cancelable {
    private let remaining = Atomic(3)
    var isDisposed: Bool { remaining.load(ordering: .relaxed) == 0 }

    func dispose() { remaining.store(0, ordering: .relaxed) }
}

private protocol OptionalType {
    associatedtype Wrapped
    var value: Wrapped? { get }
}

extension Optional: OptionalType {
    fileprivate var value: Wrapped? { self }
}

extension ObservableType where Element: OptionalType & SendableMetatype {
    fileprivate func unwrapped() -> Observable<Element.Wrapped> {
        flatMap { element -> Observable<Element.Wrapped> in
            guard let value = element.value else { return .empty() }
            return .just(value)
        }
    }
}

extension ObservableType where Element: Equatable & SendableMetatype {
    fileprivate func changes() -> Observable<Element> {
        distinctUntilChanged()
    }
}

extension ObservableType where Element: Collection & SendableMetatype {
    fileprivate func mapMany<Result>(
        _ transform: @escaping @Sendable (Element.Element) -> Result
    ) -> Observable<[Result]> {
        map { $0.map(transform) }
    }
}

extension ObservableType where Element: BinaryInteger & SendableMetatype {
    fileprivate func evenOnes() -> Observable<Element> {
        filter { $0.isMultiple(of: 2) }
    }
}

extension ObservableType {
    fileprivate func logged(_ log: @escaping @Sendable (String) -> Void) -> Observable<Element> {
        enumerated()
            .do(onNext: { log("\($0.index + 1): \($0.element)") })
            .map { $0.element }
    }

    fileprivate func ignoringErrors() -> Observable<Element> {
        Observable.create { observer in
            self.subscribe { event in
                switch event {
                case .next(let element): observer.onNext(element)
                case .error, .completed: observer.onCompleted()
                }
            }
        }
    }
}
