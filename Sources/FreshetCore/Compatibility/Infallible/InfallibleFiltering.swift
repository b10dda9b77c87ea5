extension InfallibleType {
    /// Emits the elements that satisfy `predicate`. Source: RxSwift's `filter`.
    @inlinable
    @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) -> Bool) -> Infallible<Element> {
        Infallible(asObservable().filter(predicate))
    }

    /// Emits the first `count` elements, and completes with the last of them. Source: RxSwift's `take`.
    @inlinable
    public func take(_ count: Int) -> Infallible<Element> {
        Infallible(asObservable().take(count))
    }

    /// Emits the last `count` elements when the stream has completed, as ``ObservableType/takeLast(_:)``.
    public func takeLast(_ count: Int) -> Infallible<Element> {
        Infallible(asObservable().takeLast(count))
    }

    /// Emits elements until `other` emits its first element, and then completes. Source: RxSwift's `take(until:)`.
    public func take<Source: ObservableConvertibleType>(until other: Source) -> Infallible<Element> {
        Infallible(asObservable().take(until: other.asObservable()))
    }

    /// Emits elements until one satisfies `predicate`, and then completes. Source: RxSwift's `take(until:behavior:)`.
    @preconcurrency
    public func take(
        until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible(asObservable().take(until: predicate, behavior: behavior))
    }

    /// Emits elements as long as they satisfy `predicate`, and then completes. Source: RxSwift's `take(while:behavior:)`.
    @preconcurrency
    public func take(
        while predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible(asObservable().take(while: predicate, behavior: behavior))
    }

    /// Emits all elements except the first `count`, as ``ObservableType/skip(_:)``.
    public func skip(_ count: Int) -> Infallible<Element> {
        Infallible(asObservable().skip(count))
    }

    /// Drops elements as long as they satisfy `predicate`, and emits all elements from then on.
    /// Source: RxSwift's `skip(while:)`.
    @preconcurrency
    public func skip(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Infallible<Element> {
        Infallible(asObservable().skip(while: predicate))
    }

    /// Emits the elements that arrive after `other` has emitted its first element. Source: RxSwift's `skip(until:)`.
    public func skip<Source: ObservableConvertibleType>(until other: Source) -> Infallible<Element> {
        Infallible(asObservable().skip(until: other.asObservable()))
    }
}
