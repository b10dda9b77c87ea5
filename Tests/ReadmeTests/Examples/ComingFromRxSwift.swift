import Freshet
import FreshetTesting
import XCTest

/// The examples of the page about RxSwift.
final class ComingFromRxSwift: XCTestCase {
    private let bag = DisposeBag()

    func testASearchIsRecorded() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)
        let typed = scheduler.createHotObservable([.next(210, "f"), .next(211, "fr"), .next(230, "rx")])
        let search = Search(scheduler: scheduler) { query in .just([query + "!"]) }
        let observer = scheduler.createObserver([String].self)
        search.results.skip(1).subscribe(observer).disposed(by: bag)
        typed.bind(to: search.query).disposed(by: bag)
        scheduler.start()
        XCTAssertEqual(observer.events.elements, [["!"], ["fr!"], ["rx!"]])
        XCTAssertFalse(search.isLoading.value)
    }

    @MainActor
    func testAPageIsUpdatedOnTheMainThread() async {
        let page = Page()
        page.show(Observable.of("a", "b").observe(on: SerialDispatchQueueScheduler(qos: .default)))
        while page.title != "b" { await Task.yield() }
        page.load(Single.just("c").observe(on: SerialDispatchQueueScheduler(qos: .default)))
        while page.title != "c" { await Task.yield() }
    }
}

final class Search: Sendable {
    let query = BehaviorRelay(value: "")
    let results = BehaviorRelay<[String]>(value: [])
    let isLoading = BehaviorRelay(value: false)
    private let bag = DisposeBag()

    init(scheduler: any SchedulerType, find: @escaping @Sendable (String) -> Single<[String]>) {
        query
            .debounce(.milliseconds(300), scheduler: scheduler)
            .distinctUntilChanged()
            .do(onNext: { [weak self] _ in self?.isLoading.accept(true) })
            .flatMapLatest { query in find(query).catchAndReturn([]) }
            .do(onNext: { [weak self] _ in self?.isLoading.accept(false) })
            .bind(to: results)
            .disposed(by: bag)
    }
}

@MainActor
final class Page {
    private(set) var title = ""
    private let bag = DisposeBag()

    func show(_ titles: Observable<String>) {
        titles.bind(to: Binder(self) { page, title in page.title = title }).disposed(by: bag)
    }

    func load(_ title: Single<String>) {
        title
            .observe(on: MainScheduler.instance)
            .subscribe(onSuccess: { [weak self] title in MainActor.assumeIsolated { self?.title = title } })
            .disposed(by: bag)
    }
}

/// The example of the page about streams that a busy `concatMap` pauses.
struct PausedByConcatMap {
    func pages(_ ids: Observable<Int>, load: @escaping @Sendable (Int) -> Observable<String>) -> Observable<String> {
        ids.onOverflow(.buffer(1000)).concatMap { load($0) }
    }
}
