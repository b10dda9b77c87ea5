import Synchronization

extension ObservableType where Element: Sendable {
    /// Subscribes to the source on `scheduler`, and disposes of the subscription there.
    /// Source: RxSwift's `subscribe(on:)`.
    ///
    /// The source decides on which thread it emits. See ``observe(on:)``.
    @preconcurrency
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        asObservable().subscribe(on: scheduler, disposingOnlyThere: false)
    }
}

extension Observable where Element: Sendable {
    /// - Parameter disposingOnlyThere: whether the subscription is disposed of on the scheduler after a stop event too.
    ///   Otherwise a stop event ends it at once, on the thread of the event.
    package func subscribe(
        on scheduler: any ImmediateSchedulerType, disposingOnlyThere: Bool
    ) -> Observable<Element> {
        let source = self
        return Producer(after: source) { downstream in
            let sink = SubscribeOnSink(to: downstream, on: scheduler, disposingOnlyThere)
            downstream.begin(with: OwnedSubscription(of: sink))
            sink.work.setDisposable(
                scheduler.schedule(UncheckedSendable(sink)) { sink in
                    if !sink.value.isDisposed { source.subscribe(sink.value) }
                    return Disposables.create()
                })
        }
    }
}

/// Drops the events that the source emits after `dispose`, because the source is disposed of later, on its scheduler.
private final class SubscribeOnSink<Element>: Sink<Element>, SubscriptionOwner {
    let work = SingleAssignmentDisposable()
    private let downstream: Sink<Element>
    private let scheduler: any ImmediateSchedulerType
    private let disposesOnlyThere: Bool
    private let scheduledSource = SingleAssignmentDisposable()
    private let source = SingleAssignmentDisposable()
    private let disposed = Atomic<Bool>(false)

    init(to downstream: Sink<Element>, on scheduler: any ImmediateSchedulerType, _ disposesOnlyThere: Bool) {
        self.downstream = downstream
        self.scheduler = scheduler
        self.disposesOnlyThere = disposesOnlyThere
    }

    var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    override func begin(with subscription: any Disposable & AnyObject) {
        source.setDisposable(subscription)
        scheduledSource.setDisposable(ScheduledDisposable(scheduler: scheduler, disposable: source))
    }

    override func next(_ element: Element) { if !isDisposed { downstream.next(element) } }
    override func error(_ error: any Error) { end(with: .error(error)) }
    override func completed() { end(with: .completed) }

    private func end(with event: Event<Element>) {
        if !isDisposed { downstream.on(event) }
        if !disposesOnlyThere { source.dispose() }
    }

    func dispose() {
        if disposed.exchange(true, ordering: .acquiringAndReleasing) { return }
        work.dispose()
        scheduledSource.dispose()
    }

    func pause() { scheduledSource.pause() }
    func resume() { scheduledSource.resume() }
}
