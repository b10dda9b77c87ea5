extension ObservableConvertibleType {
    /// `element` and the end in place of an error. Source: RxSwift's `asInfallible(onErrorJustReturn:)`.
    public func asInfallible(onErrorJustReturn element: Element) -> Infallible<Element> {
        Infallible(asObservable().catchAndReturn(element))
    }

    /// Goes over to `infallible` in place of an error. Source: RxSwift's `asInfallible(onErrorFallbackTo:)`.
    public func asInfallible(onErrorFallbackTo infallible: Infallible<Element>) -> Infallible<Element> {
        Infallible(asObservable().catch { _ in infallible.source })
    }

    /// Goes over to what `onErrorRecover` makes of the error. Source: RxSwift's `asInfallible(onErrorRecover:)`.
    @preconcurrency
    public func asInfallible(
        onErrorRecover: @escaping @Sendable (any Error) -> Infallible<Element>
    ) -> Infallible<Element> {
        Infallible(asObservable().catch { onErrorRecover($0).source })
    }
}
