extension ObservableType {
    /// Goes on with the stream that `handler` makes of the error. Source: RxSwift's `catch`.
    ///
    /// An error that `handler` throws, or of that stream, ends everything.
    @preconcurrency
    public func `catch`(
        _ handler: @escaping @Sendable (any Error) throws -> Observable<Element>
    ) -> Observable<Element> {
        let source = asObservable()
        return Producer { downstream in
            var hasFailed = false
            CatchSequenceSink(to: downstream) { error in
                guard let error else { return source }
                if hasFailed { return nil }
                hasFailed = true
                return try handler(error)
            }.start()
        }
    }

    /// Ends with `element` instead of an error. Source: RxSwift's `catchAndReturn`.
    public func catchAndReturn(_ element: Element) -> Observable<Element> {
        let replacement = Observable.just(element)
        return self.catch { _ in replacement }
    }

    /// The first of `sequence` that does not fail, after the elements of those that did; the error of the last one if
    /// all do. Source: RxSwift's `catch(sequence:)`.
    public static func `catch`<Sequence: Swift.Sequence & Sendable>(sequence: Sequence) -> Observable<Element>
    where Sequence.Element == Observable<Element> {
        Producer { downstream in
            var sources = sequence.makeIterator()
            CatchSequenceSink(to: downstream) { _ in sources.next() }.start()
        }
    }
}
