extension ObservableType {
    /// Subscribes to a stream for each element as soon as the element arrives, and emits the elements of all these
    /// streams. Source: RxSwift's `flatMap`.
    ///
    /// The first error, also one that `selector` throws, ends the stream. The stream completes when `self` and all
    /// inner streams have completed. If `self` emits while the operator is paused, `selector` is called at once. The stream then
    /// waits for the resume, unless it is hot, such as a subject or a window, or has one element and no other stream runs.
    @inlinable
    @preconcurrency
    public func flatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        let stream: @Sendable (Element) throws -> Observable<Source.Element> = { try selector($0).asObservable() }
        return asObservable().linear { MergeSink(to: $0, stream) }
    }

    /// Subscribes to all `sources` at once, and emits the elements of all of them. Source: RxSwift's `merge`.
    public static func merge<Sources: Collection>(_ sources: Sources) -> Observable<Element>
    where Sources.Element == Observable<Element> {
        merge(Array(sources))
    }

    /// Subscribes to all `sources` at once, and emits the elements of all of them. Source: RxSwift's `merge`.
    public static func merge(_ sources: [Observable<Element>]) -> Observable<Element> {
        Producer(after: sources) { sink in
            let merge = MergeSink<Observable<Element>, Element>(to: sink) { $0 }
            merge.begin(with: NopDisposable.shared)
            merge.startAll(sources)
        }
    }

    /// Subscribes to all `sources` at once, and emits the elements of all of them. Source: RxSwift's `merge`.
    public static func merge(_ sources: Observable<Element>...) -> Observable<Element> {
        merge(sources)
    }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// Subscribes to each stream in `self` as soon as it arrives, and emits the elements of all of them.
    /// Source: RxSwift's `merge`.
    public func merge() -> Observable<Element.Element> {
        flatMap { $0 }
    }
}

@usableFromInline
final class MergeSink<Element, Result>: Flattening<Element, Result> {
    /// The streams that arrived during a pause. Accessed only under the drain.
    private var waiting = Fifo<Observable<Result>>()

    override func launch(_ source: Observable<Result>) {
        if source.isHot || (waiting.isEmpty && mayStart(source)) { return _ = start(source) }
        // A stream that waits counts as running, so that no element overtakes it.
        running += 1
        waiting.append(source)
    }

    // Not when a stream ends: the streams that are paused come before those that wait.
    override func resumed() {
        while !isDisposed, let source = waiting.first, mayStart(source) {
            _ = waiting.popFirst()
            start(source)
            running -= 1
        }
    }

    /// Starts streams of a known number, in place of an outer source. All have been subscribed to when the call returns, also
    /// if one of them emits on another thread meanwhile, and none waits for the subscribing call of another.
    func startAll(_ sources: [Observable<Result>]) {
        running = sources.count
        for source in sources where !isDisposed { source.subscribe(Inner(of: self, 0)) }
        completed()
    }
}
