extension Observable {
    /// Returns the stream of a linear operator on this one: `attach` creates the operator's sink in front of the
    /// downstream sink. The captures of `attach` are only ever copied.
    @inlinable
    final func linear<Result>(
        _ attach: @escaping (Sink<Result>) -> Sink<Element>
    ) -> Observable<Result> {
        LinearStream(self, attach: attach)
    }

    @inlinable final var isStackBreakDue: Bool { (depth + 1) % 64 == 0 }

    /// The depth of an operator on this stream that inserts no ``StackBreak`` itself: the depth stays the same where a
    /// stack break is due, so that the next operator inserts it.
    final var depthOfNext: Int { isStackBreakDue ? depth : depth + 1 }
}

/// A stream that puts its own sink between its source and each subscriber.
@usableFromInline
final class LinearStream<Upstream, Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline let source: Observable<Upstream>
    @usableFromInline let attach: (Sink<Element>) -> Sink<Upstream>

    @inlinable
    init(_ source: Observable<Upstream>, attach: @escaping (Sink<Element>) -> Sink<Upstream>) {
        self.source = source.isStackBreakDue ? StackBreak(source) : source
        self.attach = Assembly.traced(attach)
        super.init(depth: self.source.depth + 1, isHot: source.isHot)
    }

    override func run(_ sink: Sink<Element>) {
        source.run(attach(sink))
    }
}
