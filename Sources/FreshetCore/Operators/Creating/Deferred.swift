extension ObservableType {
    /// Calls `observableFactory` for each subscription, and subscribes to the stream that it returns. An error that
    /// `observableFactory` throws ends the stream. Source: RxSwift's `deferred`.
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> Observable<Element>
    ) -> Observable<Element> {
        Assembly.traced(Deferred(observableFactory))
    }
}

private final class Deferred<Element>: Observable<Element>, @unchecked Sendable {
    private let factory: () throws -> Observable<Element>

    init(_ factory: @escaping () throws -> Observable<Element>) {
        self.factory = factory
        super.init()
    }

    private func make() -> Observable<Element> {
        do {
            return try factory()
        } catch {
            return .error(error)
        }
    }

    override func run(_ sink: Sink<Element>) {
        var source = make()
        // A loop instead of recursion, because a deferred stream can defer itself any number of times.
        while let deferred = source as? Deferred { source = deferred.make() }
        source.run(sink)
    }
}
