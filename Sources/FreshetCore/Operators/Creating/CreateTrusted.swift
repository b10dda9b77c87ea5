/// A source that follows the rules of a ``Sink`` by itself: its events are serial, no event follows a stop event, and
/// no event follows `dispose`. The subscriber therefore receives its events without a guard in between.
@usableFromInline
package protocol TrustedSource: Disposable, AnyObject {
    /// Starts the source. This is a separate step, so that a subscriber that disposes of its subscription at the first
    /// event disposes of a source that already exists.
    func start()
}

extension ObservableType {
    /// Returns a stream for which `grow` makes one source per subscription from `seed`.
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
    /// Whether this is a ``ObservableType/ruled(from:_:)`` stream with a seed of type `kind`. A caller that knows the
    /// source can then make the source do the work of an operator.
    @inlinable
    package final func grows<Seed: Sendable>(from kind: Seed.Type) -> Bool { self is TrustedStream<Seed, Element> }

    /// Returns `stream` with a changed seed. The caller ensures that `stream` ``grows(from:)`` a seed of this type. The
    /// function changes `stream` itself if the caller holds the only reference to it, for example because the stream
    /// has just been made. Otherwise it changes a copy.
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
    /// Returns a single for which `grow` makes one source per subscription from `seed`. The source emits one element or
    /// an error.
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
    /// Only the sole owner of the stream changes the seed.
    @usableFromInline package var seed: Seed
    @usableFromInline let begin: (TrustedStream, Sink<Element>) -> Void

    /// - Parameter begin: starts a subscription. It captures nothing, and is made where the types are known.
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
    /// Passes each element to `check` before it emits the element. An error that `check` throws ends the stream.
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
