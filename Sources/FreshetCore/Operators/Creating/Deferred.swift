extension ObservableType {
    /// The stream that `observableFactory` makes for each subscription. Source: RxSwift's `deferred`.
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> Observable<Element>
    ) -> Observable<Element> {
        Producer { sink in
            let source: Observable<Element>
            do {
                source = try observableFactory()
            } catch {
                source = .error(error)
            }
            source.run(sink)
        }
    }
}
