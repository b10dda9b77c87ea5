extension Observable {
    /// The stream that a linear operator makes of this one: `attach` puts the operator's sink before the one downstream.
    /// Its captures are only ever copied.
    @inlinable
    final func linear<Result>(
        _ attach: @escaping (Sink<Result>) -> Sink<Element>
    ) -> Observable<Result> {
        LiftedStream(to: self, attach)
    }

    @inlinable final var isStackBreakDue: Bool { (depth + 1) % 64 == 0 }

    /// The depth of an operator on this one that has no landing of its own: it leaves one that is due to the next.
    final var depthOfNext: Int { isStackBreakDue ? depth : depth + 1 }
}

/// A stream that puts a sink of its own between its source and whoever subscribes.
@usableFromInline
class LinearStream<Upstream, Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline final let source: Observable<Upstream>
    @usableFromInline final let attach: (LinearStream, Sink<Element>) -> Sink<Upstream>

    /// - Parameter attach: captures nothing, and is made where the types are known.
    @inlinable
    init(_ source: Observable<Upstream>, attach: @escaping (LinearStream, Sink<Element>) -> Sink<Upstream>) {
        self.source = source.isStackBreakDue ? StackBreak(source) : source
        self.attach = Assembly.tracesOperators ? Assembly.recordingLocation(attach) : attach
        super.init(depth: self.source.depth + 1)
    }

    final override func run(_ sink: Sink<Element>) {
        source.run(attach(self, sink))
    }
}

/// A linear stream whose sink is made by a closure.
@usableFromInline
final class LiftedStream<Upstream, Element>: LinearStream<Upstream, Element>, @unchecked Sendable {
    @usableFromInline let makeSink: (Sink<Element>) -> Sink<Upstream>

    @inlinable
    init(to source: Observable<Upstream>, _ makeSink: @escaping (Sink<Element>) -> Sink<Upstream>) {
        self.makeSink = makeSink
        super.init(source) { unsafeDowncast($0, to: LiftedStream.self).makeSink($1) }
    }
}
