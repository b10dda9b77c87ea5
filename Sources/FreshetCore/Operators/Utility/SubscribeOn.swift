import Synchronization

extension ObservableType where Element: Sendable {
    /// Subscribes to the source on `scheduler`, and disposes of the subscription there. Source: RxSwift's
    /// `subscribe(on:)`.
    ///
    /// Where the events come is the source's matter; see ``observe(on:)``.
    @preconcurrency
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        let source = asObservable()
        return Producer { downstream in
            let sink = SubscribeOnSink(to: downstream, on: scheduler)
            downstream.begin(with: sink)
            sink.work.setDisposable(
                scheduler.schedule(sink) { sink in
                    if !sink.isDisposed { source.subscribe(sink) }
                    return Disposables.create()
                })
        }
    }
}

/// The source is disposed of later, on its scheduler; what it sends until then stops here.
private final class SubscribeOnSink<Element>: Sink<Element>, Cancelable, Pausable, @unchecked Sendable {
    let work = SingleAssignmentDisposable()
    private let downstream: Sink<Element>
    private let scheduler: any ImmediateSchedulerType
    private let source = SingleAssignmentDisposable()
    private let disposed = Atomic<Bool>(false)

    init(to downstream: Sink<Element>, on scheduler: any ImmediateSchedulerType) {
        self.downstream = downstream
        self.scheduler = scheduler
    }

    var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    override func begin(with subscription: any Disposable) {
        source.setDisposable(ScheduledDisposable(scheduler: scheduler, disposable: subscription))
    }

    override func next(_ element: Element) { if !isDisposed { downstream.next(element) } }
    override func error(_ error: any Error) { if !isDisposed { downstream.error(error) } }
    override func completed() { if !isDisposed { downstream.completed() } }

    func dispose() {
        if disposed.exchange(true, ordering: .acquiringAndReleasing) { return }
        work.dispose()
        source.dispose()
    }

    func pause() { source.pause() }
    func resume() { source.resume() }
}
