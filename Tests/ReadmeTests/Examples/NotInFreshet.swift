import Freshet

// The example of the page of this name.

typealias Driver<Element> = Infallible<Element>

enum SharingScheduler {
    static let current = Locked<any SchedulerType>(MainScheduler.instance)

    static func mock(scheduler: any SchedulerType, action: () throws -> Void) rethrows {
        let previous = current.withLock { $0 }
        current.withLock { $0 = scheduler }
        defer { current.withLock { $0 = previous } }
        try action()
    }
}

extension ObservableConvertibleType {
    @preconcurrency
    func asDriver(onErrorJustReturn element: Element) -> Driver<Element> where Element: Sendable {
        let scheduler = SharingScheduler.current.withLock { $0 }
        return asObservable().asInfallible(onErrorJustReturn: element).observe(on: scheduler).share(replay: 1)
    }
}

extension BehaviorRelay {
    @preconcurrency
    func asDriver() -> Driver<Element> where Element: Sendable {
        let scheduler = SharingScheduler.current.withLock { $0 }
        return asInfallible().observe(on: scheduler).share(replay: 1)
    }
}

extension Infallible {
    func drive<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Element {
        bind(to: observer)
    }

    func drive<Relay: RelayType>(_ relay: Relay) -> any Disposable where Relay.Element == Element {
        bind(to: relay)
    }

    @preconcurrency
    func drive(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
        subscribe(onNext: onNext)
    }

    func drive() -> any Disposable {
        subscribe()
    }
}
