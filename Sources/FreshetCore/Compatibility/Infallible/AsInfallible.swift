extension ObservableConvertibleType {
    /// Emits `element` and completes instead of failing. Source: RxSwift's `asInfallible(onErrorJustReturn:)`.
    public func asInfallible(onErrorJustReturn element: Element) -> Infallible<Element> {
        Infallible(asObservable().catchAndReturn(element))
    }

    /// Switches to `infallible` instead of failing. Source: RxSwift's `asInfallible(onErrorFallbackTo:)`.
    public func asInfallible(onErrorFallbackTo infallible: Infallible<Element>) -> Infallible<Element> {
        Infallible(asObservable().catch { _ in infallible.source })
    }

    /// Switches to the stream that `onErrorRecover` returns for the error instead of failing.
    /// Source: RxSwift's `asInfallible(onErrorRecover:)`.
    @preconcurrency
    public func asInfallible(
        onErrorRecover: @escaping @Sendable (any Error) -> Infallible<Element>
    ) -> Infallible<Element> {
        Infallible(asObservable().catch { onErrorRecover($0).source })
    }
}
