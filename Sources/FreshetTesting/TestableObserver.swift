public import FreshetCore

/// An observer that records each event and its virtual time. Source: RxTest's `TestableObserver`.
///
/// It can receive events on any thread.
public final class TestableObserver<Element>: ObserverType, Sendable {
    private let scheduler: TestScheduler
    private let recorded = Locked<[Recorded<Event<Element>>]>([])

    init(on scheduler: TestScheduler) {
        self.scheduler = scheduler
    }

    /// The recorded events, in order.
    public var events: [Recorded<Event<Element>>] { recorded.withLock { $0 } }

    public func on(_ event: Event<Element>) {
        let time = scheduler.clock
        recorded.withLock { $0.append(Recorded(time: time, value: event)) }
    }
}
