extension ObservableType {
    /// Returns a stream that makes a resource for each subscription, and disposes of the resource with the
    /// subscription. An error that either factory throws ends the stream. Source: RxSwift's `using`.
    @preconcurrency
    public static func using<Resource: Disposable>(
        _ resourceFactory: @escaping @Sendable () throws -> Resource,
        observableFactory: @escaping @Sendable (Resource) throws -> Observable<Element>
    ) -> Observable<Element> {
        Producer { sink in
            do {
                let resource = try resourceFactory()
                let source: Observable<Element>
                do {
                    source = try observableFactory(resource)
                } catch {
                    source = .error(error)
                }
                source.run(ResourceSink(to: sink, resource))
            } catch {
                Observable.error(error).run(sink)
            }
        }
    }
}
