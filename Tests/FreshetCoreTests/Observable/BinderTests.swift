import FreshetCore
import FreshetTesting
import XCTest

final class BinderTests: CoreTestCase {
    fileprivate final class Page: ReactiveCompatible, @unchecked Sendable {
        var titles: [String] = []
    }

    func testElementsReachTheTargetOnTheScheduler() {
        let scheduler = TestScheduler(initialClock: 0)
        let page = Page()
        let binder = Binder<String>(page, scheduler: scheduler) { page, title in page.titles.append(title) }
        Observable.of("a", "b").subscribe(binder).dispose()
        XCTAssertEqual(page.titles, [])
        scheduler.start()
        XCTAssertEqual(page.titles, ["a", "b"])
        binder.asObserver().onNext("c")
        scheduler.start()
        XCTAssertEqual(page.titles, ["a", "b", "c"])
    }

    func testTheTargetIsNotKeptAlive() {
        let scheduler = TestScheduler(initialClock: 0)
        let calls = Log<String>()
        var page: Page? = Page()
        weak let gone = page
        let binder = Binder<String>(page!, scheduler: scheduler) { _, title in calls.append(title) }
        binder.onNext("a")
        scheduler.start()
        binder.onNext("b")
        page = nil
        XCTAssertNil(gone)
        scheduler.start()
        binder.onNext("c")
        scheduler.start()
        XCTAssertEqual(calls.all, ["a"])
    }

    func testAMappedObserverReceivesAThrownErrorAsItsError() {
        let recorder = Recorder<Int>()
        let observer: AnyObserver<String> = recorder.mapObserver { text in
            guard let number = Int(text) else { throw Fault.first }
            return number
        }
        observer.onNext("1")
        observer.onNext("x")
        observer.onCompleted()
        XCTAssertEqual(recorder.events, [.next(1), .error(Fault.first), .completed])
    }

    func testReactiveExtensionsReadAndWriteTheirBase() {
        let page = Page()
        page.titles = ["a"]
        XCTAssertEqual(page.rx.first.record().elements, ["a"])
        page.rx.latest = "b"
        XCTAssertEqual(page.titles, ["a", "b"])
        XCTAssertEqual(Page.rx.kind, "page")
    }
}

extension Reactive where Base == BinderTests.Page {
    fileprivate var first: Observable<String> { .from(optional: base.titles.first) }
    fileprivate static var kind: String { "page" }
    fileprivate var latest: String {
        get { base.titles.last ?? "" }
        nonmutating set { base.titles.append(newValue) }
    }
}
