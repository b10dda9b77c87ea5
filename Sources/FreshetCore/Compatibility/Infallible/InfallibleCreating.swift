extension Infallible {
    public typealias InfallibleObserver = @Sendable (InfallibleEvent<Element>) -> Void

    /// Creates a stream whose events `subscribe` sends to the observer. The disposable that `subscribe` returns ends
    /// the stream. Source: RxSwift's `create`.
    ///
    /// The rules are those of ``ObservableType/create(_:)``.
    @preconcurrency
    public static func create(
        subscribe: @escaping @Sendable (@escaping InfallibleObserver) -> any Disposable
    ) -> Infallible<Element> {
        Infallible(.create { observer in subscribe { observer.on($0.event) } })
    }
}

extension InfallibleType {
    /// Emits `element`, then completes. Source: RxSwift's `just`.
    @inlinable
    public static func just(_ element: Element) -> Infallible<Element> {
        Infallible(.just(element))
    }

    /// Emits `element`, then completes, each in its own work item on `scheduler`. Source: RxSwift's `just(_:scheduler:)`.
    @inlinable
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
        Infallible(.just(element, scheduler: scheduler))
    }

    /// Completes without an element. Source: RxSwift's `empty`.
    @inlinable
    public static func empty() -> Infallible<Element> {
        Infallible(.empty())
    }

    /// Never emits an event. Source: RxSwift's `never`.
    @inlinable
    public static func never() -> Infallible<Element> {
        Infallible(.never())
    }

    /// Calls `observableFactory` for each subscription, and subscribes to the stream that it returns.
    /// Source: RxSwift's `deferred`.
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> Infallible<Element>
    ) -> Infallible<Element> {
        Infallible(.deferred { try observableFactory().source })
    }

    /// Emits `elements` one after the other. Source: RxSwift's `of`.
    @inlinable
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.from(elements, scheduler: scheduler))
    }

    /// Emits the elements of `array` one after the other. Source: RxSwift's `from`.
    @inlinable
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.from(array, scheduler: scheduler))
    }

    /// Emits the elements of `sequence`. Each subscription iterates it from the beginning. Source: RxSwift's `from`.
    @inlinable
    public static func from<Elements: Sequence>(
        _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> where Elements.Element == Element {
        Infallible(.from(sequence, scheduler: scheduler))
    }
}

extension InfallibleType where Element: FixedWidthInteger {
    /// Emits `count` numbers from `start` on, as ``ObservableType/range(start:count:scheduler:)``.
    public static func range(
        start: Element, count: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.range(start: start, count: count, scheduler: scheduler))
    }
}

extension InfallibleType where Element: FixedWidthInteger & Sendable {
    /// Emits the numbers from zero on without end, one per `period`, as ``ObservableType/interval(_:scheduler:)``.
    @preconcurrency
    public static func interval(_ period: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
        Infallible(.interval(period, scheduler: scheduler))
    }

    /// Emits zero after `dueTime` and completes. With a period, it continues to count without end, as
    /// ``ObservableType/timer(_:period:scheduler:)``.
    @preconcurrency
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible(.timer(dueTime, period: period, scheduler: scheduler))
    }
}
