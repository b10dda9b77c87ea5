extension ObservableType {
    /// Emits a result for each element of `self` and the latest element of `second`. Elements that arrive before the
    /// first element of `second` are dropped. Source: RxSwift's `withLatestFrom`.
    ///
    /// The operator subscribes to `second` first. The stream ends with `self`, or with an error of either stream.
    @preconcurrency
    public func withLatestFrom<Source: ObservableConvertibleType, Result>(
        _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) throws -> Result
    ) -> Observable<Result> {
        let source = asObservable()
        let second = second.asObservable()
        return Producer(after: source) { sink in
            let coordinator = LatestCoordinator(to: sink, resultSelector)
            sink.begin(with: coordinator.subscriptions)
            second.subscribe(InnerObserver(of: coordinator) { .second($0) })
            if !coordinator.subscriptions.isDisposed { source.subscribe(InnerObserver(of: coordinator) { .first($0) }) }
        }
    }

    /// Emits the latest element of `second` for each element of `self`. Source: RxSwift's `withLatestFrom`.
    public func withLatestFrom<Source: ObservableConvertibleType>(_ second: Source) -> Observable<Source.Element> {
        withLatestFrom(second) { $1 }
    }
}

private enum LatestSignal<First, Second> {
    case first(Event<First>)
    case second(Event<Second>)
}

private final class LatestCoordinator<First, Second, Result>: Coordinator<LatestSignal<First, Second>> {
    private let downstream: Sink<Result>
    private let selector: (First, Second) throws -> Result
    private var latest: Second?

    init(to downstream: Sink<Result>, _ selector: @escaping (First, Second) throws -> Result) {
        self.downstream = downstream
        self.selector = selector
    }

    override func handle(_ signal: LatestSignal<First, Second>) {
        switch signal {
        case .first(.next(let element)):
            guard let latest else { return }
            do {
                downstream.next(try selector(element, latest))
            } catch {
                downstream.error(error)
            }
        case .first(.completed): downstream.completed()
        case .second(.next(let element)): latest = element
        case .second(.completed): break
        case .first(.error(let error)), .second(.error(let error)): downstream.error(error)
        }
    }
}
