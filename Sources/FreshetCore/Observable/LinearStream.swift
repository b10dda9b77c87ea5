extension Observable {
    /// Returns the stream of a linear operator on this one: `attach` creates the operator's sink in front of the
    /// downstream sink. The captures of `attach` are only ever copied.
    @inlinable
    final func linear<Result>(
        _ attach: @escaping (Sink<Result>) -> Sink<Element>
    ) -> Observable<Result> {
        LiftedStream(to: self, attach)
    }

    @inlinable final var isStackBreakDue: Bool { (depth + 1) % 64 == 0 }

    /// The depth of an operator on this stream that inserts no ``StackBreak`` itself: the depth stays the same where a
    /// stack break is due, so that the next operator inserts it.
    final var depthOfNext: Int { isStackBreakDue ? depth : depth + 1 }
}

/// A stream that puts its own sink between its source and each subscriber.
@usableFromInline
class LinearStream<Upstream, Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline final let source: Observable<Upstream>
    @usableFromInline final let attach: (LinearStream, Sink<Element>) -> Sink<Upstream>

    /// - Parameter attach: a closure that captures nothing. The inlinable caller creates it, where the compiler knows
    ///   the types.
    @inlinable
    init(_ source: Observable<Upstream>, attach: @escaping (LinearStream, Sink<Element>) -> Sink<Upstream>) {
        self.source = source.isStackBreakDue ? StackBreak(source) : source
        self.attach = Assembly.tracesOperators ? Assembly.recordingLocation(attach) : attach
        super.init(depth: self.source.depth + 1, isHot: source.isHot)
    }

    final override func run(_ sink: Sink<Element>) {
        source.run(attach(self, sink))
    }
}

/// A linear stream whose sink a closure creates.
@usableFromInline
final class LiftedStream<Upstream, Element>: LinearStream<Upstream, Element>, @unchecked Sendable {
    @usableFromInline let makeSink: (Sink<Element>) -> Sink<Upstream>

    @inlinable
    init(to source: Observable<Upstream>, _ makeSink: @escaping (Sink<Element>) -> Sink<Upstream>) {
        self.makeSink = makeSink
        super.init(source) { unsafeDowncast($0, to: LiftedStream.self).makeSink($1) }
    }
}
