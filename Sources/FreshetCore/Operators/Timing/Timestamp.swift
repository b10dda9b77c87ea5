/// An element and the time of its arrival. Source: RxJS's `Timestamp`.
public struct Timestamped<Element> {
    /// The time of arrival on the clock of the scheduler.
    public let timestamp: Instant
    public let element: Element

    public init(timestamp: Instant, element: Element) {
        self.timestamp = timestamp
        self.element = element
    }
}

extension Timestamped: Sendable where Element: Sendable {}
extension Timestamped: Equatable where Element: Equatable {}

/// An element and the time since the previous element. Source: RxJS's `TimeInterval`.
public struct ElementWithInterval<Element> {
    public let interval: RxTimeInterval
    public let element: Element

    public init(interval: RxTimeInterval, element: Element) {
        self.interval = interval
        self.element = element
    }
}

extension ElementWithInterval: Sendable where Element: Sendable {}
extension ElementWithInterval: Equatable where Element: Equatable {}

extension ObservableType {
    /// Emits each element with the time of its arrival on the clock of `scheduler`. The operator uses `scheduler` only
    /// as a clock. Source: RxJS's `timestamp`.
    ///
    ///     source:      -a--b-----c|
    ///     timestamp(): -A--B-----C|  A = 1 a, B = 4 b, C = 10 c
    public func timestamp(scheduler: any SchedulerType) -> Observable<Timestamped<Element>> {
        asObservable().linear { TimestampSink(to: $0, by: scheduler) }
    }

    /// Emits each element with the time since the previous element, or since the subscription, on the clock of
    /// `scheduler`. Source: RxJS's `timeInterval`.
    ///
    ///     source:         -a--b-----c|
    ///     timeInterval(): -A--B-----C|  A = 1 a, B = 3 b, C = 6 c
    public func timeInterval(scheduler: any SchedulerType) -> Observable<ElementWithInterval<Element>> {
        asObservable().linear { TimeIntervalSink(to: $0, by: scheduler) }
    }
}

private final class TimestampSink<Element>: OperatorSink<Element, Timestamped<Element>> {
    private let scheduler: any SchedulerType

    init(to downstream: Sink<Timestamped<Element>>, by scheduler: any SchedulerType) {
        self.scheduler = scheduler
        super.init(to: downstream)
    }

    override func next(_ element: Element) {
        downstream.next(Timestamped(timestamp: scheduler.now, element: element))
    }
}

private final class TimeIntervalSink<Element>: OperatorSink<Element, ElementWithInterval<Element>> {
    private let scheduler: any SchedulerType
    private var last: Instant

    init(to downstream: Sink<ElementWithInterval<Element>>, by scheduler: any SchedulerType) {
        self.scheduler = scheduler
        last = scheduler.now
        super.init(to: downstream)
    }

    override func next(_ element: Element) {
        let now = scheduler.now
        let interval = last.duration(to: now)
        last = now
        downstream.next(ElementWithInterval(interval: interval, element: element))
    }
}
