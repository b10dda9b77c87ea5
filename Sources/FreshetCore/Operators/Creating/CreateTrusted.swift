/// A source that follows the rules of a ``Sink`` by itself: its events are serial, no event follows a stop event, and
/// no event follows `dispose`. The subscriber therefore receives its events without a guard in between.
@usableFromInline
package protocol TrustedSource: Disposable, AnyObject {
    /// Starts the source. This is a separate step, so that a subscriber that disposes of its subscription at the first
    /// event disposes of a source that already exists.
    func start()
}

extension ObservableType {
    /// Returns a stream for which `makeSource` makes one source per subscription from `parameters`.
    @inlinable
    package static func trusted<Parameters: Sendable, Source: TrustedSource>(
        parameters: consuming Parameters, _ makeSource: @escaping (Parameters, Sink<Element>) -> Source
    ) -> Observable<Element> {
        TrustedStream(parameters: parameters) { stream, sink in
            let source = makeSource(stream.parameters, sink.inCurrentContext)
            sink.begin(with: source)
            source.start()
        }
    }
}

extension Observable {
    /// Whether this is a ``ObservableType/trusted(parameters:_:)`` stream with parameters of type `kind`. A caller that
    /// knows the source can then make the source do the work of an operator.
    @inlinable
    package final func isTrusted<Parameters: Sendable>(parameters kind: Parameters.Type) -> Bool {
        self is TrustedStream<Parameters, Element>
    }

    /// Returns `stream` with changed parameters. The caller ensures that `stream` ``isTrusted(parameters:)`` with
    /// parameters of this type. The function changes `stream` itself if the caller holds the only reference to it, for
    /// example because the stream has just been made. Otherwise it changes a copy.
    @inlinable
    package static func updating<Parameters: Sendable>(
        _ stream: consuming Observable, _ change: (inout Parameters) -> Void
    ) -> Observable {
        var stream = unsafeDowncast(consume stream, to: TrustedStream<Parameters, Element>.self)
        if !isKnownUniquelyReferenced(&stream) { stream = TrustedStream(like: stream, parameters: stream.parameters) }
        change(&stream.parameters)
        return stream
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Returns a single for which `makeSource` makes one source per subscription from `parameters`. The source emits one
    /// element or an error.
    @inlinable
    package static func trusted<Parameters: Sendable, Source: TrustedSource>(
        parameters: consuming Parameters, _ makeSource: @escaping (Parameters, Sink<Element>) -> Source
    ) -> Single<Element> {
        PrimitiveSequence(raw: .trusted(parameters: parameters, makeSource))
    }

    /// See ``Observable/isTrusted(parameters:)``.
    @inlinable
    package func isTrusted<Parameters: Sendable>(parameters kind: Parameters.Type) -> Bool {
        primitiveSequence.source.isTrusted(parameters: kind)
    }

    @inlinable
    package static func updating<Parameters: Sendable>(
        _ single: consuming Single<Element>, _ change: (inout Parameters) -> Void
    ) -> Single<Element> {
        PrimitiveSequence(raw: .updating(single.source, change))
    }
}

/// The stream of a ``TrustedSource``.
@usableFromInline
package final class TrustedStream<Parameters, Element>: Observable<Element>, @unchecked Sendable {
    /// Only the sole owner of the stream changes the parameters.
    @usableFromInline package var parameters: Parameters
    @usableFromInline let begin: (TrustedStream, Sink<Element>) -> Void

    /// - Parameter begin: starts a subscription. It captures nothing, and is made where the types are known.
    @inlinable @inline(__always)
    init(parameters: Parameters, _ begin: @escaping (TrustedStream, Sink<Element>) -> Void) {
        self.parameters = parameters
        self.begin = Assembly.tracesOperators ? Assembly.recordingLocation(begin) : begin
        super.init()
    }

    @inlinable
    init(like other: TrustedStream, parameters: consuming Parameters) {
        self.parameters = parameters
        begin = other.begin
        super.init()
    }

    override func run(_ sink: Sink<Element>) {
        begin(self, sink)
    }
}
