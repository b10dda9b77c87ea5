extension InfallibleType where Element: Sendable {
    /// Emits an element when `dueTime` has passed without another element. Source: RxSwift's `debounce`.
    @preconcurrency
    public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
        Infallible(asObservable().debounce(dueTime, scheduler: scheduler))
    }

    /// Emits at most one element per `dueTime`. Source: RxSwift's `throttle(_:latest:scheduler:)`.
    ///
    /// - Parameters:
    ///   - dueTime: the minimum time between two elements.
    ///   - latest: whether the latest element that came too early is emitted when the time has passed.
    ///   - scheduler: the clock, and the scheduler that delivers delayed elements.
    @preconcurrency
    public func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible(asObservable().throttle(dueTime, latest: latest, scheduler: scheduler))
    }

    /// Delays all events by `dueTime`, as ``ObservableType/delay(_:scheduler:)``.
    @preconcurrency
    public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
        Infallible(asObservable().delay(dueTime, scheduler: scheduler))
    }

    /// Subscribes `dueTime` later, as ``ObservableType/delaySubscription(_:scheduler:)``.
    @preconcurrency
    public func delaySubscription(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
        Infallible(asObservable().delaySubscription(dueTime, scheduler: scheduler))
    }

    /// Emits the elements of the first `duration`, then completes. Source: RxSwift's `take(for:scheduler:)`.
    @preconcurrency
    public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
        Infallible(asObservable().take(for: duration, scheduler: scheduler))
    }

    /// Emits the elements that arrive after the first `duration`, as ``ObservableType/skip(_:scheduler:)``.
    @preconcurrency
    public func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
        Infallible(asObservable().skip(duration, scheduler: scheduler))
    }

    /// Delivers the events on `scheduler`, in order, as ``ObservableType/observe(on:)``.
    @preconcurrency
    public func observe(on scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
        Infallible(asObservable().observe(on: scheduler))
    }

    /// Delivers the events on `scheduler`, in order, and pauses the source while too many elements wait, as
    /// ``ObservableType/observe(on:buffering:)``.
    @preconcurrency
    public func observe(
        on scheduler: any ImmediateSchedulerType, buffering limits: ClosedRange<Int>
    ) -> Infallible<Element> {
        Infallible(asObservable().observe(on: scheduler, buffering: limits))
    }

    /// Subscribes to the source on `scheduler`, and disposes of the subscription there, as
    /// ``ObservableType/subscribe(on:)``.
    @preconcurrency
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
        Infallible(asObservable().subscribe(on: scheduler))
    }
}
