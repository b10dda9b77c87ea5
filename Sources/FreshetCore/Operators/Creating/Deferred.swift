extension ObservableType {
    /// The stream that `observableFactory` makes for each subscription. Source: RxSwift's `deferred`.
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
        // A loop and not a call, for a stream that defers itself again and again.
        while let deferred = source as? Deferred { source = deferred.make() }
        source.run(sink)
    }
}
