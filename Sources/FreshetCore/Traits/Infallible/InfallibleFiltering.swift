extension InfallibleType {
    /// The elements that satisfy `predicate`. Source: RxSwift's `filter`.
    @inlinable
    @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) -> Bool) -> Infallible<Element> {
        Infallible(asObservable().filter(predicate))
    }

    /// The first `count` elements, then the end, without waiting for another. Source: RxSwift's `take`.
    @inlinable
    public func take(_ count: Int) -> Infallible<Element> {
        Infallible(asObservable().take(count))
    }

    /// The last `count` elements, when the stream has completed, as ``ObservableType/takeLast(_:)``.
    public func takeLast(_ count: Int) -> Infallible<Element> {
        Infallible(asObservable().takeLast(count))
    }

    /// The elements before `other` emits its first; then the end. Source: RxSwift's `take(until:)`.
    public func take<Source: ObservableConvertibleType>(until other: Source) -> Infallible<Element> {
        Infallible(asObservable().take(until: other.asObservable()))
    }

    /// The elements until one satisfies `predicate`; then the end. Source: RxSwift's `take(until:behavior:)`.
    @preconcurrency
    public func take(
        until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible(asObservable().take(until: predicate, behavior: behavior))
    }

    /// The elements as long as they satisfy `predicate`; then the end. Source: RxSwift's `take(while:behavior:)`.
    @preconcurrency
    public func take(
        while predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible(asObservable().take(while: predicate, behavior: behavior))
    }

    /// All but the first `count` elements, as ``ObservableType/skip(_:)``.
    public func skip(_ count: Int) -> Infallible<Element> {
        Infallible(asObservable().skip(count))
    }

    /// The elements from the first one on that does not satisfy `predicate`. Source: RxSwift's `skip(while:)`.
    @preconcurrency
    public func skip(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Infallible<Element> {
        Infallible(asObservable().skip(while: predicate))
    }

    /// The elements after `other` has emitted its first. Source: RxSwift's `skip(until:)`.
    public func skip<Source: ObservableConvertibleType>(until other: Source) -> Infallible<Element> {
        Infallible(asObservable().skip(until: other.asObservable()))
    }
}
