import Freshet

// The example of the page of this name.

/// Shares after each operator, as the one of RxCocoa does.
struct Driver<Element>: ObservableConvertibleType {
    private let source: Observable<Element>

    init(_ source: Observable<Element>) {
        self.source = source.share(replay: 1)
    }

    func asObservable() -> Observable<Element> { source }

    func startWith(_ element: Element) -> Driver<Element> { Driver(source.startWith(element)) }

    func withLatestFrom<Other>(_ other: Driver<Other>) -> Driver<Other> { Driver<Other>(source.withLatestFrom(other)) }

    static func merge(_ drivers: Driver<Element>...) -> Driver<Element> { Driver(.merge(drivers.map(\.source))) }

    @preconcurrency
    static func combineLatest<A, B>(
        _ a: Driver<A>, _ b: Driver<B>, resultSelector: @escaping @Sendable (A, B) -> Element
    ) -> Driver<Element> {
        Driver(.combineLatest(a.source, b.source, resultSelector: resultSelector))
    }

    @preconcurrency
    func map<Result>(_ transform: @escaping @Sendable (Element) -> Result) -> Driver<Result> {
        Driver<Result>(source.map(transform))
    }

    @preconcurrency
    func filter(_ predicate: @escaping @Sendable (Element) -> Bool) -> Driver<Element> {
        Driver(source.filter(predicate))
    }

    @preconcurrency
    func scan<State>(_ seed: State, accumulator: @escaping @Sendable (State, Element) -> State) -> Driver<State> {
        Driver<State>(source.scan(seed, accumulator: accumulator))
    }

    @preconcurrency
    func flatMapLatest<Result>(_ selector: @escaping @Sendable (Element) -> Driver<Result>) -> Driver<Result> {
        Driver<Result>(source.flatMapLatest(selector))
    }

    @preconcurrency
    func drive(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable { source.bind(onNext: onNext) }

    func drive(_ observer: some ObserverType<Element>) -> any Disposable { source.bind(to: observer) }

    func drive(_ relay: some RelayType<Element>) -> any Disposable { source.bind(to: relay) }

    func drive() -> any Disposable { source.subscribe() }
}

extension Driver where Element: Equatable & SendableMetatype {
    func distinctUntilChanged() -> Driver<Element> { Driver(source.distinctUntilChanged()) }
}

enum SharingScheduler {
    private static let mocked = Locked<(any SchedulerType)?>(nil)

    /// A new scheduler for each driver, so that none waits for another one's turn.
    static func make() -> any SchedulerType { mocked.withLock { $0 } ?? MainScheduler() }

    static func mock(scheduler: any SchedulerType, action: () throws -> Void) rethrows {
        let previous = mocked.withLock { $0 }
        mocked.withLock { $0 = scheduler }
        defer { mocked.withLock { $0 = previous } }
        try action()
    }
}

extension ObservableConvertibleType {
    @preconcurrency
    func asDriver(onErrorJustReturn element: Element) -> Driver<Element> where Element: Sendable {
        Driver(asObservable().catchAndReturn(element).observe(on: SharingScheduler.make()))
    }
}

extension BehaviorRelay {
    @preconcurrency
    func asDriver() -> Driver<Element> where Element: Sendable {
        Driver(asObservable().observe(on: SharingScheduler.make()))
    }
}
