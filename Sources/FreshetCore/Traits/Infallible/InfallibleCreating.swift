extension Infallible {
    public typealias InfallibleObserver = @Sendable (InfallibleEvent<Element>) -> Void

    /// A stream whose events come from a closure, which returns what ends it. Source: RxSwift's `create`.
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
    /// One element, then the end. Source: RxSwift's `just`.
    @inlinable
    public static func just(_ element: Element) -> Infallible<Element> {
        Infallible(.just(element))
    }

    /// One element, then the end, each a piece of work on `scheduler`. Source: RxSwift's `just(_:scheduler:)`.
    @inlinable
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
        Infallible(.just(element, scheduler: scheduler))
    }

    /// No element, only the end. Source: RxSwift's `empty`.
    @inlinable
    public static func empty() -> Infallible<Element> {
        Infallible(.empty())
    }

    /// Nothing, for ever. Source: RxSwift's `never`.
    @inlinable
    public static func never() -> Infallible<Element> {
        Infallible(.never())
    }

    /// The stream that `observableFactory` makes for each subscription. Source: RxSwift's `deferred`.
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> Infallible<Element>
    ) -> Infallible<Element> {
        Infallible(.deferred { try observableFactory().source })
    }

    /// `elements`, one after the other. Source: RxSwift's `of`.
    @inlinable
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.from(elements, scheduler: scheduler))
    }

    /// The elements of `array`, one after the other. Source: RxSwift's `from`.
    @inlinable
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.from(array, scheduler: scheduler))
    }

    /// The elements of `sequence`, which is begun anew by each subscription. Source: RxSwift's `from`.
    @inlinable
    public static func from<Elements: Sequence>(
        _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> where Elements.Element == Element {
        Infallible(.from(sequence, scheduler: scheduler))
    }
}

extension InfallibleType where Element: FixedWidthInteger {
    /// `count` numbers from `start` on, as ``ObservableType/range(start:count:scheduler:)``.
    public static func range(
        start: Element, count: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(.range(start: start, count: count, scheduler: scheduler))
    }
}

extension InfallibleType where Element: FixedWidthInteger & Sendable {
    /// Counts from zero, one each `period`, for ever, as ``ObservableType/interval(_:scheduler:)``.
    @preconcurrency
    public static func interval(_ period: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
        Infallible(.interval(period, scheduler: scheduler))
    }

    /// Zero after `dueTime` and the end; or, with a period, counts on for ever, as
    /// ``ObservableType/timer(_:period:scheduler:)``.
    @preconcurrency
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible(.timer(dueTime, period: period, scheduler: scheduler))
    }
}
