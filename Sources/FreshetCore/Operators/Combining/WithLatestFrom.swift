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
            second.subscribe(InnerObserver(of: coordinator, coordinator.secondReceived))
            if coordinator.subscriptions.isDisposed { return }
            source.subscribe(InnerObserver(of: coordinator, coordinator.firstReceived))
        }
    }

    /// Emits the latest element of `second` for each element of `self`. Source: RxSwift's `withLatestFrom`.
    public func withLatestFrom<Source: ObservableConvertibleType>(_ second: Source) -> Observable<Source.Element> {
        withLatestFrom(second) { $1 }
    }
}

private enum LatestSignal<First, Second> {
    case pair(First, Second)
    case completed
    case error(any Error)
}

/// An element of the first stream takes the latest element of the second one as it arrives, so that it never has to wait for
/// another thread, which would then deliver it.
private final class LatestCoordinator<First, Second, Result>: Coordinator<LatestSignal<First, Second>, Result> {
    private let selector: (First, Second) throws -> Result
    private let latest = Locked<Second?>(nil)

    init(to downstream: Sink<Result>, _ selector: @escaping (First, Second) throws -> Result) {
        self.selector = selector
        super.init(to: downstream)
    }

    func firstReceived(_ event: Event<First>) -> LatestSignal<First, Second>? {
        switch event {
        case .next(let element): latest.withLock { $0 }.map { .pair(element, $0) }
        case .completed: .completed
        case .error(let error): .error(error)
        }
    }

    func secondReceived(_ event: Event<Second>) -> LatestSignal<First, Second>? {
        switch event {
        case .next(let element): latest.update { $0 = element }
        case .completed: break
        case .error(let error): return .error(error)
        }
        return nil
    }

    override func handle(_ signal: LatestSignal<First, Second>) {
        switch signal {
        case .pair(let first, let second):
            do {
                downstream.next(try selector(first, second))
            } catch {
                downstream.error(error)
            }
        case .completed: downstream.completed()
        case .error(let error): downstream.error(error)
        }
    }
}
