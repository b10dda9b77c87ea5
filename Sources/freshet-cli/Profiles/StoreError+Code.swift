import Freshet

extension PrimitiveSequence where Trait == SingleTrait {
    /// Replaces a `StoreError` with an ``HTTPClientError`` of code `store`, which the command line reports.
    func asStoreError() -> Single<Element> {
        self.catch { error in
            guard let error = error as? StoreError else { return .error(error) }
            return .error(HTTPClientError(.store, phase: .storing, message: error.message, underlying: error))
        }
    }
}
