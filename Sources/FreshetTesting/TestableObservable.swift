public import FreshetCore

/// A source with scripted events that notes its subscriptions. Source: RxTest's `TestableObservable`.
///
/// Subscribed to from any thread; what it noted is behind a lock, hence `@unchecked`.
public final class TestableObservable<Element>: ObservableType, @unchecked Sendable {
    /// The script.
    public let recordedEvents: [Recorded<Event<Element>>]
    private let noted: Locked<[Subscription]>
    private let source: Observable<Element>

    /// Who has been subscribed, from when until when, in the order of subscribing.
    public var subscriptions: [Subscription] { noted.withLock { $0 } }

    private init(
        _ events: [Recorded<Event<Element>>], on scheduler: TestScheduler,
        connect: @escaping (AnyObserver<Element>) -> any Disposable
    ) {
        let noted = Locked<[Subscription]>([])
        let unsafe = Unchecked(connect)
        recordedEvents = events
        self.noted = noted
        source = .create { observer in
            let start = scheduler.clock
            let index = noted.withLock { noted in
                noted.append(Subscription(start))
                return noted.count - 1
            }
            let ending = Disposables.create {
                let end = scheduler.clock
                noted.withLock { $0[index] = Subscription(start, end) }
            }
            return Disposables.create(unsafe.value(observer), ending)
        }
    }

    convenience init(hot events: [Recorded<Event<Element>>], on scheduler: TestScheduler) {
        let observers = Locked<(next: Int, all: [(key: Int, observer: AnyObserver<Element>)])>((0, []))
        for recorded in events {
            scheduler.scheduleAt(recorded.time) {
                for (_, observer) in observers.withLock({ $0.all }) { observer.on(recorded.value) }
            }
        }
        self.init(events, on: scheduler) { observer in
            let key = observers.withLock { observers in
                observers.next += 1
                observers.all.append((observers.next, observer))
                return observers.next
            }
            return Disposables.create { observers.withLock { $0.all.removeAll { $0.key == key } } }
        }
    }

    convenience init(cold events: [Recorded<Event<Element>>], on scheduler: TestScheduler) {
        self.init(events, on: scheduler) { observer in
            CompositeDisposable(
                disposables: events.map { recorded in
                    scheduler.scheduleRelativeVirtual((), dueTime: recorded.time) { _ in
                        observer.on(recorded.value)
                        return Disposables.create()
                    }
                })
        }
    }

    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        source.subscribe(observer)
    }

    public func asObservable() -> Observable<Element> { source }
}

/// Closures of a test run where the test runs.
private struct Unchecked<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
