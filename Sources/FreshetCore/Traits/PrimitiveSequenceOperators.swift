extension PrimitiveSequence {
    /// Calls `observableFactory` for each subscription, and subscribes to the sequence that it returns.
    /// Source: RxSwift's `deferred`.
    @preconcurrency
    public static func deferred(_ observableFactory: @escaping @Sendable () throws -> Self) -> Self {
        Self(raw: .deferred { try observableFactory().source })
    }

    /// Creates a resource for each subscription, and disposes of it when the subscription ends. Source: RxSwift's `using`.
    @preconcurrency
    public static func using<Resource: Disposable>(
        _ resourceFactory: @escaping @Sendable () throws -> Resource,
        primitiveSequenceFactory: @escaping @Sendable (Resource) throws -> Self
    ) -> Self {
        Self(raw: .using(resourceFactory) { try primitiveSequenceFactory($0).source })
    }

    /// Continues after an error with the sequence that `handler` returns. Source: RxSwift's `catch`.
    @preconcurrency
    public func `catch`(_ handler: @escaping @Sendable (any Error) throws -> Self) -> Self {
        Self(raw: source.catch { try handler($0).source })
    }

    /// Subscribes again after each error, without a limit. Source: RxSwift's `retry`.
    public func retry() -> Self {
        Self(raw: source.retry())
    }

    /// Subscribes again after an error, up to `maxAttemptCount` subscriptions in total. Source: RxSwift's `retry`.
    public func retry(_ maxAttemptCount: Int) -> Self {
        Self(raw: source.retry(maxAttemptCount))
    }

    /// Passes the errors to `notificationHandler`, and subscribes again each time that the returned stream emits an
    /// element. Source: RxSwift's `retry(when:)`.
    @preconcurrency
    public func retry<Trigger: ObservableType>(
        when notificationHandler: @escaping @Sendable (Observable<any Error>) -> Trigger
    ) -> Self {
        Self(raw: source.retry(when: notificationHandler))
    }

    /// Passes the errors of type `Failure` to `notificationHandler`, and subscribes again each time that the returned
    /// stream emits an element. An error of another type ends the sequence. Source: RxSwift's `retry(when:)`.
    @preconcurrency
    public func retry<Trigger: ObservableType, Failure: Error>(
        when notificationHandler: @escaping @Sendable (Observable<Failure>) -> Trigger
    ) -> Self {
        Self(raw: source.retry(when: notificationHandler))
    }

    /// Prints each event of each subscription. Source: RxSwift's `debug`.
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> Self {
        Self(raw: source.debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
    }
}

extension PrimitiveSequence {
    /// Reports each error that passes here, with `name`. See ``ObservableType/checkpoint(_:file:line:)``.
    public func checkpoint(_ name: String = "checkpoint", file: String = #fileID, line: Int = #line) -> Self {
        Self(raw: source.checkpoint(name, file: file, line: line))
    }

    package func inContext(_ change: @escaping @Sendable (SubscriptionContext) -> SubscriptionContext) -> Self {
        Self(raw: source.inContext(change))
    }

    /// Binds `local` to `value` upstream of this operator. See ``ObservableType/bindingTaskLocal(_:to:)``.
    public func bindingTaskLocal<Value>(_ local: TaskLocal<Value>, to value: Value) -> Self {
        Self(raw: source.bindingTaskLocal(local, to: value))
    }

    /// Binds `local`, upstream of this operator, to the value that it has where the observer subscribes.
    public func bindingTaskLocal<Value>(_ local: TaskLocal<Value>) -> Self {
        Self(raw: source.bindingTaskLocal(local))
    }
}

extension PrimitiveSequence where Element: Sendable {
    /// Delivers the result `dueTime` later. An error is delivered at once. Source: RxSwift's `delay`.
    ///
    /// The element and the completion arrive together, as after ``observe(on:)``.
    @preconcurrency
    public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Self {
        deliveredTogether(on: scheduler) { $0.delay(dueTime, scheduler: scheduler) }
    }

    /// Subscribes `dueTime` later. Source: RxSwift's `delaySubscription`.
    @preconcurrency
    public func delaySubscription(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Self {
        Self(raw: source.delaySubscription(dueTime, scheduler: scheduler))
    }

    /// Fails with ``RxError/timeout`` if there is no result within `dueTime`. Source: RxSwift's `timeout`.
    @preconcurrency
    public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Self {
        Self(raw: source.timeout(dueTime, scheduler: scheduler))
    }

    /// Switches to `other` if there is no result within `dueTime`. Source: RxSwift's `timeout(_:other:scheduler:)`.
    @preconcurrency
    public func timeout(_ dueTime: RxTimeInterval, other: Self, scheduler: any SchedulerType) -> Self {
        Self(raw: source.timeout(dueTime, other: other.source, scheduler: scheduler))
    }

    /// Delivers the result on `scheduler`. Source: RxSwift's `observe(on:)`.
    ///
    /// The element and the completion arrive together, so that no other work of the scheduler comes between them. In virtual time
    /// and on the current thread each has a turn of its own, as in RxSwift.
    @preconcurrency
    public func observe(on scheduler: any ImmediateSchedulerType) -> Self {
        deliveredTogether(on: scheduler) { $0.observe(on: scheduler) }
    }

    /// Applies an operator that delivers the events on `scheduler`.
    private func deliveredTogether(
        on scheduler: any ImmediateSchedulerType, by hop: (Observable<Element>) -> Observable<Element>
    ) -> Self {
        if scheduler is any SteppingScheduler { return Self(raw: hop(source)) }
        // `take` completes with the element. The source has ended by then, so that nothing is cancelled.
        return Self(raw: hop(source.linear { WithheldElementSink(to: $0) }).take(1))
    }

    /// Subscribes and disposes on `scheduler`. Source: RxSwift's `subscribe(on:)`.
    @preconcurrency
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> Self {
        Self(raw: source.subscribe(on: scheduler))
    }
}

extension PrimitiveSequenceType where Element: FixedWidthInteger & Sendable {
    /// Emits zero after `dueTime`. Source: RxSwift's `timer`.
    @preconcurrency
    public static func timer(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .timer(dueTime, scheduler: scheduler))
    }
}

/// Withholds the element until the source has ended. An error after the element is none, as for each observer of a single.
private final class WithheldElementSink<Element>: ClosingOperatorSink<Element, Element> {
    private var element: Element?

    override func next(_ element: Element) {
        if self.element == nil { self.element = element }
    }

    override func error(_ error: any Error) {
        if let element { finish(with: element) } else { downstream.error(error) }
    }

    override func completed() {
        if let element { finish(with: element) } else { downstream.completed() }
    }
}
