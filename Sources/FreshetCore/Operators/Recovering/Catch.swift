extension ObservableType {
    /// Continues with the stream that `handler` returns for the error. Source: RxSwift's `catch`.
    ///
    /// An error that `handler` throws, or an error of that stream, ends the stream.
    @inlinable
    @preconcurrency
    public func `catch`(
        _ handler: @escaping @Sendable (any Error) throws -> Observable<Element>
    ) -> Observable<Element> {
        let source = asObservable()
        return Producer(after: source) { SequentialSubscriber.run(CatchProvider(source, handler), to: $0) }
    }

    /// Emits `element` and completes instead of failing. Source: RxSwift's `catchAndReturn`.
    public func catchAndReturn(_ element: Element) -> Observable<Element> {
        let replacement = Observable.just(element)
        return self.catch { _ in replacement }
    }

    /// Subscribes to the streams in `sequence`, one after the other, until one completes, and emits the elements of all
    /// of them. If all streams fail, it fails with the error of the last one. Source: RxSwift's `catch(sequence:)`.
    @preconcurrency
    public static func `catch`<Sequence: Swift.Sequence>(sequence: Sequence) -> Observable<Element>
    where Sequence.Element == Observable<Element> {
        if let sources = sequence as? [Observable<Element>] { return Producer(after: sources) { run(sources, to: $0) } }
        // The stream only copies the sequence. A sequence of reference type must support calls of `makeIterator` from
        // any thread.
        return Producer(unchecked: ()) { run(sequence, to: $0) }
    }

    private static func run<Sources: Sequence>(_ sources: Sources, to sink: Sink<Element>)
    where Sources.Element == Observable<Element> {
        SequentialSubscriber.run(
            SequenceProvider(sources.makeIterator(), continuingAfter: { $0.error != nil }), to: sink)
    }
}

@usableFromInline
final class CatchProvider<Element>: SourceProvider<Element> {
    private let source: Observable<Element>
    private let handler: (any Error) throws -> Observable<Element>
    private var hasFailed = false

    @usableFromInline
    init(_ source: Observable<Element>, _ handler: @escaping (any Error) throws -> Observable<Element>) {
        self.source = source
        self.handler = handler
    }

    override var isDone: Bool { hasFailed }

    override func source(after end: Event<Never>?, for subscriber: Downstream) throws -> Observable<Element>? {
        guard let end else { return source }
        guard let error = end.error, !hasFailed else { return nil }
        hasFailed = true
        return try handler(error)
    }
}
