extension ObservableType {
    /// The same stream, on which `map`, `filter` and `compactMap` melt into one loop body instead of a link each.
    ///
    ///     let totals = orders.fused
    ///         .filter { $0.isPaid }
    ///         .map(\.total)
    ///         .filter { $0 > 0 }
    ///         .asObservable()
    ///
    /// ``FusedObservable/asObservable()``, or subscribing, ends the run. Worth its line where millions of elements pass
    /// closures that are written in place; the meaning is that of the plain operators.
    @inlinable
    public var fused: FusedObservable<Element, Element> {
        FusedObservable(asObservable()) { try $1($0) }
    }
}

/// A stream, and the run of stages that its elements pass as one function; see ``ObservableType/fused``.
@frozen
public struct FusedObservable<Source, Element>: ObservableConvertibleType {
    /// What becomes of one element: each that passes goes to a continuation which does not escape, so that the optimiser
    /// sees through any number of stages.
    @usableFromInline typealias Stage = @Sendable (Source, (Element) throws -> Void) throws -> Void

    @usableFromInline let source: Observable<Source>
    @usableFromInline let stage: Stage

    @inlinable
    init(_ source: Observable<Source>, _ stage: @escaping Stage) {
        self.source = source
        self.stage = stage
    }

    /// The stream of what comes out of the last stage.
    @inlinable
    public func asObservable() -> Observable<Element> {
        let stage = stage
        // Made here, where the stages are known, and once for all subscriptions.
        let step: (FusedSink<Source, Element>, UnsafePointer<Source>) -> Void = { sink, element in
            do {
                try stage(element.pointee) { sink.downstream.next($0) }
            } catch {
                sink.downstream.error(error)
            }
        }
        return source.linear { FusedSink(to: $0, step) }
    }

    /// Subscribes an observer, as ``ObservableType/subscribe(_:)-(Observer)`` does.
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
    /// Each element through `transform`; see ``ObservableType/map(_:)``.
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

    /// The elements for which `predicate` holds; see ``ObservableType/filter(_:)``.
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

    /// Each element through `transform`, where that has a result; see ``ObservableType/compactMap(_:)``.
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
