public import FreshetCore

/// An observer that notes what it gets, and when. Source: RxTest's `TestableObserver`.
///
/// Takes events from any thread.
public final class TestableObserver<Element>: ObserverType, Sendable {
    private let scheduler: TestScheduler
    private let recorded = Locked<[Recorded<Event<Element>>]>([])

    init(on scheduler: TestScheduler) {
        self.scheduler = scheduler
    }

    /// What has come, in order.
    public var events: [Recorded<Event<Element>>] { recorded.withLock { $0 } }

    public func on(_ event: Event<Element>) {
        let time = scheduler.clock
        recorded.withLock { $0.append(Recorded(time: time, value: event)) }
    }
}
