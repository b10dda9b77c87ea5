extension ObservableType {
    /// The same stream, on which `map`, `filter` and their like melt into one loop body instead of a link each.
    ///
    ///     let totals = orders.fused
    ///         .filter { $0.isPaid }
    ///         .map(\.total)
    ///         .filter { $0 > 0 }
    ///         .asObservable()
    ///
    /// As with `lazy` for sequences, the type grows with each operator; ``FusedObservable/asObservable()``, or subscribing,
    /// ends the run. Worth its line where millions of elements pass; the meaning is that of the plain operators.
    @inlinable
    public var fused: FusedObservable<FusedIdentity<Element>> {
        FusedObservable(asObservable(), FusedIdentity())
    }
}

/// A stream and the run of stages that its elements pass; see ``ObservableType/fused``.
@frozen
public struct FusedObservable<Stage: FusedStage>: ObservableConvertibleType {
    public typealias Element = Stage.Output

    @usableFromInline let source: Observable<Stage.Input>
    @usableFromInline let stage: Stage

    @inlinable
    init(_ source: consuming Observable<Stage.Input>, _ stage: consuming Stage) {
        self.source = source
        self.stage = stage
    }

    /// The stream of what comes out of the last stage.
    @inlinable
    public consuming func asObservable() -> Observable<Element> {
        let run = FusedRun(stage)
        return source.linear { FusedSink(to: $0, run) }
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

/// The one link that a run of stages is.
@usableFromInline
final class FusedSink<Stage: FusedStage>: SteppingSink<Stage.Input, Stage.Output> {
    @usableFromInline let run: FusedRun<Stage>
    @exclusivity(unchecked) @usableFromInline var state: Stage.State

    @inlinable
    init(to downstream: Sink<Stage.Output>, _ run: FusedRun<Stage>) {
        self.run = run
        state = run.stage.makeState()
        super.init(to: downstream) { sink, element in
            let sink = unsafeDowncast(sink, to: FusedSink.self)
            do {
                try sink.run.stage.run(element.pointee, &sink.state) { sink.downstream.next($0) }
            } catch {
                sink.downstream.error(error)
            }
        }
    }
}

/// The stages, which all subscriptions have in common.
@usableFromInline
final class FusedRun<Stage: FusedStage>: Sendable {
    @usableFromInline let stage: Stage

    @inlinable
    init(_ stage: consuming Stage) {
        self.stage = stage
    }
}
