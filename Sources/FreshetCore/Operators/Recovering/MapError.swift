extension ObservableType {
    /// Passes the error of the stream through `transform`. An error that `transform` throws replaces it.
    /// Source: ReactiveSwift's `mapError`.
    @preconcurrency
    @_disfavoredOverload  // See `partition(_:)`.
    public func mapError(_ transform: @escaping @Sendable (any Error) throws -> any Error) -> Observable<Element> {
        asObservable().linear { MapErrorSink(to: $0, transform) }
    }
}

private final class MapErrorSink<Element>: PassingSink<Element> {
    private let transform: (any Error) throws -> any Error

    init(to downstream: Sink<Element>, _ transform: @escaping (any Error) throws -> any Error) {
        self.transform = transform
        super.init(to: downstream)
    }

    override func error(_ error: any Error) {
        do {
            downstream.error(try transform(error))
        } catch {
            downstream.error(error)
        }
    }
}
