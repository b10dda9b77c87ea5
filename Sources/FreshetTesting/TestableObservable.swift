public import FreshetCore

/// A source with scripted events that records its subscriptions. Source: RxTest's `TestableObservable`.
///
/// The source emits its script even if the script breaks the contract of streams. An observer that subscribes directly
/// receives all events of the script, including those after a stop event, and stays subscribed until it disposes of the
/// subscription. An operator on the source ends its subscription with the stop event. The exception is
/// `subscribe(on:)`, which ends it on the scheduler.
///
/// Any thread can subscribe. A lock guards the recorded subscriptions, hence `@unchecked`.
public final class TestableObservable<Element>: ObservableType, @unchecked Sendable {
    /// The script.
    public let recordedEvents: [Recorded<Event<Element>>]
    private let noted = Locked<[Subscription]>([])
    private let scheduler: TestScheduler
    private let play: (AnyObserver<Element>) -> any Disposable

    /// The recorded subscriptions, in the order of subscribing.
    public var subscriptions: [Subscription] { noted.withLock { $0 } }

    private init(
        _ events: [Recorded<Event<Element>>], on scheduler: TestScheduler,
        play: @escaping (AnyObserver<Element>) -> any Disposable
    ) {
        recordedEvents = events
        self.scheduler = scheduler
        self.play = play
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

    fileprivate func start(_ observer: AnyObserver<Element>) -> any Disposable {
        let start = scheduler.clock
        let index = noted.withLock { noted in
            noted.append(Subscription(start))
            return noted.count - 1
        }
        let ending = Disposables.create { [self] in
            let end = scheduler.clock
            noted.withLock { $0[index] = Subscription(start, end) }
        }
        return Disposables.create(play(observer), ending)
    }

    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        start(AnyObserver(observer))
    }
}

extension TestableObservable where Element: Sendable {
    /// Subscribes on `scheduler`, and disposes of the subscription on `scheduler`, also after a stop event.
    /// Source: RxSwift's `subscribe(on:)`.
    @preconcurrency
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        Observable<Element>.trusted(parameters: self) { ScriptReading(of: $0, for: $1) }
            .subscribe(on: scheduler, disposingOnlyThere: true)
    }
}

/// An operator's subscription. The operator receives nothing after a stop event, but stays subscribed until it disposes
/// of the subscription.
// Unchecked: only the scheduler's thread plays the script.
private final class ScriptReading<Element>: TrustedSource, @unchecked Sendable {
    private let script: TestableObservable<Element>
    private let sink: Sink<Element>
    private let subscription = SingleAssignmentDisposable()
    private var hasStopped = false

    init(of script: TestableObservable<Element>, for sink: Sink<Element>) {
        self.script = script
        self.sink = sink
    }

    func start() {
        let observer = AnyObserver<Element> { [self] event in
            if hasStopped || subscription.isDisposed { return }
            hasStopped = event.isStopEvent
            sink.on(event)
        }
        subscription.setDisposable(script.start(observer))
    }

    func dispose() { subscription.dispose() }
}
