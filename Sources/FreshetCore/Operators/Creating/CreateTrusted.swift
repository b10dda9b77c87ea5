/// A source that keeps the rules of a ``Sink`` by itself: its events are serial, nothing follows a stop event, and nothing
/// comes any more once it has been disposed of. So there is no guard between it and whoever subscribes.
@usableFromInline
package protocol TrustedSource: Disposable, AnyObject {
    /// A step of its own, so that a subscriber who leaves at the first event finds something to end.
    func start()
}

extension ObservableType {
    /// A stream of which each subscription is a source that `grow` makes from `seed`.
    @inlinable
    package static func ruled<Seed: Sendable, Source: TrustedSource>(
        from seed: consuming Seed, _ grow: @escaping (Seed, Sink<Element>) -> Source
    ) -> Observable<Element> {
        TrustedStream(from: seed) { stream, sink in
            let source = grow(stream.seed, sink.inCurrentContext)
            sink.begin(with: source)
            source.start()
        }
    }
}

extension Observable {
    /// What this grows from, if it is a ``ObservableType/ruled(from:_:)`` of that kind: who knows the source can have it do
    /// what an operator would do.
    @inlinable
    package final func grows<Seed: Sendable>(from kind: Seed.Type) -> Bool { self is TrustedStream<Seed, Element> }

    /// The same stream, which ``grows(from:)`` such a seed, from a changed one: itself if nobody else has it, as when it was
    /// made just before.
    @inlinable
    package static func ruled<Seed: Sendable>(
        _ stream: consuming Observable, changing change: (inout Seed) -> Void
    ) -> Observable {
        var stream = unsafeDowncast(consume stream, to: TrustedStream<Seed, Element>.self)
        if !isKnownUniquelyReferenced(&stream) { stream = TrustedStream(like: stream, from: stream.seed) }
        change(&stream.seed)
        return stream
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// The same of a source that has one element, or an error.
    @inlinable
    package static func ruled<Seed: Sendable, Source: TrustedSource>(
        from seed: consuming Seed, _ grow: @escaping (Seed, Sink<Element>) -> Source
    ) -> Single<Element> {
        PrimitiveSequence(raw: .ruled(from: seed, grow))
    }

    /// See ``Observable/grows(from:)``.
    @inlinable
    package func grows<Seed: Sendable>(from kind: Seed.Type) -> Bool { primitiveSequence.source.grows(from: kind) }

    @inlinable
    package static func ruled<Seed: Sendable>(
        _ single: consuming Single<Element>, changing change: (inout Seed) -> Void
    ) -> Single<Element> {
        PrimitiveSequence(raw: .ruled(single.source, changing: change))
    }
}

/// The stream of a ``TrustedSource``.
@usableFromInline
package final class TrustedStream<Seed, Element>: Observable<Element>, @unchecked Sendable {
    /// Changed by its only owner alone.
    @usableFromInline package var seed: Seed
    @usableFromInline let begin: (TrustedStream, Sink<Element>) -> Void

    /// - Parameter begin: captures nothing, and is made where the types are known.
    @inlinable @inline(__always)
    init(from seed: Seed, _ begin: @escaping (TrustedStream, Sink<Element>) -> Void) {
        self.seed = seed
        self.begin = Assembly.tracesOperators ? Assembly.recordingLocation(begin) : begin
        super.init()
    }

    @inlinable
    init(like other: TrustedStream, from seed: consuming Seed) {
        self.seed = seed
        begin = other.begin
        super.init()
    }

    override func run(_ sink: Sink<Element>) {
        begin(self, sink)
    }
}

extension Observable {
    /// The same elements, each looked at before it goes on; an error that `check` throws ends the stream.
    @inlinable
    package final func checking(_ check: @escaping @Sendable (Element) throws -> Void) -> Observable<Element> {
        linear { CheckSink(to: $0, check) }
    }
}

@usableFromInline
final class CheckSink<Element>: OperatorSink<Element, Element> {
    @usableFromInline let check: (Element) throws -> Void

    @inlinable
    init(to downstream: Sink<Element>, _ check: @escaping (Element) throws -> Void) {
        self.check = check
        super.init(to: downstream)
    }

    @usableFromInline
    override func next(_ element: Element) {
        do { try check(element) } catch { return downstream.error(error) }
        downstream.next(element)
    }
}
