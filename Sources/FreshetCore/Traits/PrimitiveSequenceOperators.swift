extension PrimitiveSequence {
    /// The sequence that `observableFactory` makes for each subscription. Source: RxSwift's `deferred`.
    @preconcurrency
    public static func deferred(_ observableFactory: @escaping @Sendable () throws -> Self) -> Self {
        Self(raw: .deferred { try observableFactory().source })
    }

    /// A sequence with a resource that is made for each subscription, and disposed of with it. Source: RxSwift's `using`.
    @preconcurrency
    public static func using<Resource: Disposable>(
        _ resourceFactory: @escaping @Sendable () throws -> Resource,
        primitiveSequenceFactory: @escaping @Sendable (Resource) throws -> Self
    ) -> Self {
        Self(raw: .using(resourceFactory) { try primitiveSequenceFactory($0).source })
    }

    /// What `handler` makes of the error, in its place. Source: RxSwift's `catch`.
    @preconcurrency
    public func `catch`(_ handler: @escaping @Sendable (any Error) throws -> Self) -> Self {
        Self(raw: source.catch { try handler($0).source })
    }

    /// Subscribes anew after each error, without end. Source: RxSwift's `retry`.
    public func retry() -> Self {
        Self(raw: source.retry())
    }

    /// Subscribes anew after an error, `maxAttemptCount` times in all. Source: RxSwift's `retry`.
    public func retry(_ maxAttemptCount: Int) -> Self {
        Self(raw: source.retry(maxAttemptCount))
    }

    /// Subscribes anew each time that the stream made of the errors emits. Source: RxSwift's `retry(when:)`.
    @preconcurrency
    public func retry<Trigger: ObservableType>(
        when notificationHandler: @escaping @Sendable (Observable<any Error>) -> Trigger
    ) -> Self {
        Self(raw: source.retry(when: notificationHandler))
    }

    /// The same for errors of one type; one of another type ends the sequence. Source: RxSwift's `retry(when:)`.
    @preconcurrency
    public func retry<Trigger: ObservableType, Failure: Error>(
        when notificationHandler: @escaping @Sendable (Observable<Failure>) -> Trigger
    ) -> Self {
        Self(raw: source.retry(when: notificationHandler))
    }

    /// Prints what happens. Source: RxSwift's `debug`.
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> Self {
        Self(raw: source.debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
    }
}

extension PrimitiveSequence {
    /// The same sequence, whose errors tell that they passed here; see ``ObservableType/checkpoint(_:file:line:)``.
    public func checkpoint(_ name: String = "checkpoint", file: String = #fileID, line: Int = #line) -> Self {
        Self(raw: source.checkpoint(name, file: file, line: line))
    }

    package func inContext(_ change: @escaping @Sendable (SubscriptionContext) -> SubscriptionContext) -> Self {
        Self(raw: source.inContext(change))
    }

    /// The same sequence, above which `local` has the value `value`; see ``ObservableType/bindingTaskLocal(_:to:)``.
    public func bindingTaskLocal<Value>(_ local: TaskLocal<Value>, to value: Value) -> Self {
        Self(raw: source.bindingTaskLocal(local, to: value))
    }

    /// The same sequence, above which `local` has the value that it has where somebody subscribes.
    public func bindingTaskLocal<Value>(_ local: TaskLocal<Value>) -> Self {
        Self(raw: source.bindingTaskLocal(local))
    }
}

extension PrimitiveSequence where Element: Sendable {
    /// The result `dueTime` later; an error comes at once. Source: RxSwift's `delay`.
    @preconcurrency
    public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Self {
        Self(raw: source.delay(dueTime, scheduler: scheduler))
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

    /// Goes over to `other` if there is no result within `dueTime`. Source: RxSwift's `timeout(_:other:scheduler:)`.
    @preconcurrency
    public func timeout(_ dueTime: RxTimeInterval, other: Self, scheduler: any SchedulerType) -> Self {
        Self(raw: source.timeout(dueTime, other: other.source, scheduler: scheduler))
    }

    /// Delivers the result on `scheduler`. Source: RxSwift's `observe(on:)`.
    @preconcurrency
    public func observe(on scheduler: any ImmediateSchedulerType) -> Self {
        Self(raw: source.observe(on: scheduler))
    }

    /// Subscribes and disposes on `scheduler`. Source: RxSwift's `subscribe(on:)`.
    @preconcurrency
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> Self {
        Self(raw: source.subscribe(on: scheduler))
    }
}

extension PrimitiveSequenceType where Element: FixedWidthInteger & Sendable {
    /// Zero after `dueTime`. Source: RxSwift's `timer`.
    @preconcurrency
    public static func timer(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .timer(dueTime, scheduler: scheduler))
    }
}
