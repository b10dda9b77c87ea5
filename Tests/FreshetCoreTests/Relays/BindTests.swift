import FreshetCore
import XCTest

final class BindTests: CoreTestCase {
    private let source = PublishRelay<Int>()

    func testElementsAreBoundToEveryKindOfRelay() {
        let publish = PublishRelay<Int>()
        let behaviors = [BehaviorRelay(value: 0), BehaviorRelay(value: 0)]
        let replay = ReplayRelay<Int>.createUnbound()
        let received = Recorder<Int>()
        let bag = DisposeBag()
        publish.subscribe(received).disposed(by: bag)
        source.bind(to: publish).disposed(by: bag)
        source.bind(to: behaviors[0], behaviors[1]).disposed(by: bag)
        source.bind(to: replay).disposed(by: bag)
        source.accept(1)
        source.accept(2)
        XCTAssertEqual(received.elements, [1, 2])
        XCTAssertEqual(behaviors.map(\.value), [2, 2])
        XCTAssertEqual(replay.record().elements, [1, 2])
    }

    func testAnObserverThatIsMadeInTheCallGetsNoOptionals() {
        final class Label {
            var text = ""
        }
        let label = Label()
        let bag = DisposeBag()
        source.bind(
            to: Binder(label, scheduler: ImmediateScheduler.instance) { label, count in label.text += "\(count)" }
        )
        .disposed(by: bag)
        let texts = Locked<[String]>([])
        source.bind(to: AnyObserver { event in texts.withLock { $0.append("\(event)") } }).disposed(by: bag)
        source.asInfallible(onErrorJustReturn: 0)
            .bind(
                to: Binder(label, scheduler: ImmediateScheduler.instance) { label, count in label.text += "\(count)" }
            )
            .disposed(by: bag)
        source.accept(1)
        XCTAssertEqual(label.text, "11")
        XCTAssertEqual(texts.withLock { $0 }, ["next(1)"])
    }

    func testElementsAreBoundToRelaysOfOptionals() {
        let publish = PublishRelay<Int?>()
        let behaviors = [BehaviorRelay<Int?>(value: nil), BehaviorRelay<Int?>(value: nil)]
        let replay = ReplayRelay<Int?>.createUnbound()
        let received = Recorder<Int?>()
        let bag = DisposeBag()
        publish.subscribe(received).disposed(by: bag)
        source.bind(to: publish).disposed(by: bag)
        source.bind(to: behaviors[0], behaviors[1]).disposed(by: bag)
        source.bind(to: replay).disposed(by: bag)
        source.accept(1)
        XCTAssertEqual(received.elements, [1])
        XCTAssertEqual(behaviors.map(\.value), [1, 1])
        XCTAssertEqual(replay.record().elements, [1])
        let optionals = PublishRelay<Int?>()
        optionals.bind(to: behaviors[0]).disposed(by: bag)
        optionals.accept(nil)
        XCTAssertNil(behaviors[0].value)
    }

    /// If the compiler tried the plain overload first, it would give up at five stages.
    func testAChainBoundToOptionalsCompilesWithoutTypes() {
        let relay = BehaviorRelay<Int?>(value: nil)
        Observable.just(1)
            .map { $0 + 1 }.filter { $0 > 1 }.map { $0 * 2 }
            .map { $0 + 1 }.filter { $0 > 1 }.map { $0 * 2 }
            .map { $0 + 1 }.filter { $0 > 1 }
            .bind(to: relay).dispose()
        XCTAssertEqual(relay.value, 11)
    }

    func testACompletionIsNotBoundToARelay() {
        let relay = BehaviorRelay(value: 0)
        Observable.of(1, 2).bind(to: relay).dispose()
        let recorder = relay.record()
        XCTAssertEqual(recorder.events, [.next(2)])
    }

    func testAllEventsAreBoundToObservers() {
        let first = Recorder<Int>()
        let second = Recorder<Int>()
        let optional = Recorder<Int?>()
        Observable.of(1, 2).bind(to: first, second).dispose()
        Observable.of(1, 2).bind(to: optional).dispose()
        XCTAssertEqual(first.events, [.next(1), .next(2), .completed])
        XCTAssertEqual(second.events, first.events)
        XCTAssertEqual(optional.events, [.next(1), .next(2), .completed])
        let failed = Recorder<Int>()
        Observable<Int>.error(Fault.first).bind(to: failed).dispose()
        XCTAssertEqual(failed.events, [.error(Fault.first)])
        let subject = PublishSubject<Int>()
        let subscription = source.bind(to: subject.asObserver())
        XCTAssertTrue(subject.record().events.isEmpty)
        subscription.dispose()
    }

    func testABinderAcceptsElementsAndOptionals() {
        let page = Page()
        let count = Binder(page, scheduler: ImmediateScheduler.instance) { (page: Page, count: Int) in
            page.count = count
        }
        let title = Binder(page, scheduler: ImmediateScheduler.instance) { (page: Page, title: String?) in
            page.title = title
        }
        let bag = DisposeBag()
        source.bind(to: count).disposed(by: bag)
        source.map { "page \($0)" }.bind(to: title).disposed(by: bag)
        source.accept(3)
        XCTAssertEqual(page.count, 3)
        XCTAssertEqual(page.title, "page 3")
    }

    func testBindToAFunctionReturnsItsResult() {
        let stream = Observable.of(1, 2)
        XCTAssertEqual(stream.bind(to: { $0.record().elements }), [1, 2])
        let add: (Observable<Int>) -> (Int) -> [Int] = { stream in
            { more in stream.record().elements.map { $0 + more } }
        }
        XCTAssertEqual(stream.bind(to: add, curriedArgument: 10), [11, 12])
        XCTAssertEqual(Infallible.of(1, 2).bind(to: { $0.record().elements }), [1, 2])
        let addTo: (Infallible<Int>) -> (Int) -> [Int] = { stream in { _ in stream.record().elements } }
        XCTAssertEqual(Infallible.of(1, 2).bind(to: addTo, curriedArgument: 0), [1, 2])
    }

    func testElementsAreBoundToClosures() {
        let log = Log<Int>()
        var object: Log<Int>? = Log()
        weak let gone = object
        let bag = DisposeBag()
        source.bind { log.append($0) }.disposed(by: bag)
        source.asInfallible().bind(onNext: { log.append($0 * 10) }).disposed(by: bag)
        source.bind(with: object!) { $0.append($1) }.disposed(by: bag)
        source.asInfallible().bind(with: object!, onNext: { $0.append($1 * 10) }).disposed(by: bag)
        source.accept(1)
        XCTAssertEqual(object?.all, [1, 10])
        object = nil
        XCTAssertNil(gone)
        source.accept(2)
        XCTAssertEqual(log.all, [1, 10, 2, 20])
    }

    func testAnInfallibleIsBound() {
        let relay = BehaviorRelay(value: 0)
        let optional = BehaviorRelay<Int?>(value: nil)
        let observer = Recorder<Int>()
        let other = Recorder<Int?>()
        let stream = Infallible.of(1, 2)
        stream.bind(to: relay).dispose()
        stream.bind(to: optional).dispose()
        stream.bind(to: observer).dispose()
        stream.bind(to: other).dispose()
        XCTAssertEqual([relay.value, optional.value], [2, 2])
        XCTAssertEqual(observer.events, [.next(1), .next(2), .completed])
        XCTAssertEqual(other.events, [.next(1), .next(2), .completed])
    }

    func testAnErrorBoundToARelayIsFatalInDebug() throws {
        try assertFatalInDebug(
            "FreshetCoreTests.BindTests/testAnErrorBoundToARelayIsFatalInDebug",
            message: "An error was bound to a relay: first"
        ) {
            _ = Observable<Int>.error(Fault.first).bind(to: BehaviorRelay(value: 0))
        }
    }

    func testAnErrorBoundToABinderIsFatalInDebug() throws {
        try assertFatalInDebug(
            "FreshetCoreTests.BindTests/testAnErrorBoundToABinderIsFatalInDebug",
            message: "A Binder can't take an error: first"
        ) {
            let binder = Binder(Page(), scheduler: ImmediateScheduler.instance) { (_: Page, _: Int) in }
            _ = Observable<Int>.error(Fault.first).bind(to: binder)
        }
    }

    func testAnErrorBoundToAClosureIsFatalInDebug() throws {
        try assertFatalInDebug(
            "FreshetCoreTests.BindTests/testAnErrorBoundToAClosureIsFatalInDebug", message: "An error was bound: second"
        ) {
            _ = Observable<Int>.error(Fault.second).bind(onNext: { _ in })
        }
    }
}

private final class Page: @unchecked Sendable {
    var count = 0
    var title: String?
}
