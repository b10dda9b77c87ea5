extension ObservableType {
    /// This stream, on which `map`, `filter` and `compactMap` are combined into one function instead of one sink each.
    ///
    ///     let totals = orders.fused
    ///         .filter { $0.isPaid }
    ///         .map(\.total)
    ///         .filter { $0 > 0 }
    ///         .asObservable()
    ///
    /// ``FusedObservable/asObservable()`` or a subscription ends the fused section. Use it where millions of elements
    /// pass through closures that are written in place. The results are the same as those of the plain operators.
    @inlinable
    public var fused: FusedObservable<Element, Element> {
        FusedObservable(asObservable()) { try $1($0) }
    }
}

/// A stream and the fused stages that its elements pass through as one function. See ``ObservableType/fused``.
@frozen
public struct FusedObservable<Source, Element>: ObservableConvertibleType {
    /// Processes one element, and passes each result to a continuation. The continuation does not escape, so that the
    /// optimizer can inline any number of stages.
    @usableFromInline typealias Stage = @Sendable (Source, (Element) throws -> Void) throws -> Void

    @usableFromInline let source: Observable<Source>
    @usableFromInline let stage: Stage

    @inlinable
    init(_ source: Observable<Source>, _ stage: @escaping Stage) {
        self.source = source
        self.stage = stage
    }

    /// Returns the stream of the results of the last stage.
    @inlinable
    public func asObservable() -> Observable<Element> {
        let stage = stage
        // The function is made here, where the types of the stages are known, and once for all subscriptions.
        let step: (FusedSink<Source, Element>, UnsafePointer<Source>) -> Void = { sink, element in
            do {
                try stage(element.pointee) { sink.downstream.next($0) }
            } catch {
                sink.downstream.error(error)
            }
        }
        return source.linear { FusedSink(to: $0, step) }
    }

    /// Subscribes an observer like ``ObservableType/subscribe(_:)-(Observer)``.
    @inlinable
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        asObservable().subscribe(observer)
    }

    /// Subscribes a handler of events.
    @inlinable
    @preconcurrency
    public func subscribe(_ on: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
        asObservable().subscribe(on)
    }

    /// Subscribes a closure for each kind of event.
    @inlinable
    @preconcurrency
    public func subscribe(
        onNext: (@Sendable (Element) -> Void)? = nil,
        onError: (@Sendable (any Error) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(
            onNext: onNext, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
    }
}

extension FusedObservable {
    /// Emits the result of `transform` for each element. See ``ObservableType/map(_:)``.
    @inlinable
    @preconcurrency
    public func map<Result>(
        _ transform: @escaping @Sendable (Element) throws -> Result
    ) -> FusedObservable<Source, Result> {
        let stage = stage
        return FusedObservable<Source, Result>(source) { element, next in
            try stage(element) { try next(transform($0)) }
        }
    }

    /// Emits the elements that satisfy `predicate`. See ``ObservableType/filter(_:)``.
    @inlinable
    @preconcurrency
    public func filter(
        _ predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> FusedObservable<Source, Element> {
        let stage = stage
        return FusedObservable(source) { element, next in
            try stage(element) { if try predicate($0) { try next($0) } }
        }
    }

    /// Emits the results of `transform` that are not `nil`. See ``ObservableType/compactMap(_:)``.
    @inlinable
    @preconcurrency
    public func compactMap<Result>(
        _ transform: @escaping @Sendable (Element) throws -> Result?
    ) -> FusedObservable<Source, Result> {
        let stage = stage
        return FusedObservable<Source, Result>(source) { element, next in
            try stage(element) { if let result = try transform($0) { try next(result) } }
        }
    }
}
