extension Observable {
    /// The stream that a linear operator makes of this one: `attach` puts the operator's sink before the one downstream.
    /// Its captures are only ever copied.
    @inlinable
    final func linear<Result>(
        _ attach: @escaping (Sink<Result>) -> Sink<Element>
    ) -> Observable<Result> {
        Linear(isLandingDue ? Landing(self) : self, attach)
    }

    @inlinable final var isLandingDue: Bool { (depth + 1) % 64 == 0 }
}

@usableFromInline
final class Linear<Upstream, Element>: Observable<Element>, @unchecked Sendable {
    @usableFromInline let source: Observable<Upstream>
    @usableFromInline let attach: (Sink<Element>) -> Sink<Upstream>

    @inlinable
    init(_ source: Observable<Upstream>, _ attach: @escaping (Sink<Element>) -> Sink<Upstream>) {
        self.source = source
        self.attach = attach
        super.init()
        depth = source.depth + 1
    }

    override func run(_ sink: Sink<Element>) {
        source.run(attach(sink))
    }
}
