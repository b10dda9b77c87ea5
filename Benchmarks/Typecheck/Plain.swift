// The names that the chains use, each declared once and as plainly as can be: what a chain's type-checking time is
// compared with. Nothing here runs.

public final class Observable<Element>: Sendable {
    public static func just(_ element: Element) -> Observable<Element> { fatalError() }

    public var fused: Observable<Element> { fatalError() }

    public func map<Result>(_ transform: @escaping @Sendable (Element) throws -> Result) -> Observable<Result> {
        fatalError()
    }

    public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        fatalError()
    }

    public func compactMap<Result>(
        _ transform: @escaping @Sendable (Element) throws -> Result?
    ) -> Observable<Result> { fatalError() }

    public func scan<Result>(
        _ seed: Result, accumulator: @escaping @Sendable (Result, Element) throws -> Result
    ) -> Observable<Result> { fatalError() }

    public func flatMap<Result>(
        _ selector: @escaping @Sendable (Element) throws -> Observable<Result>
    ) -> Observable<Result> { fatalError() }

    public func flatMapLatest<Result>(
        _ selector: @escaping @Sendable (Element) throws -> Observable<Result>
    ) -> Observable<Result> { fatalError() }

    public func concatMap<Result>(
        _ selector: @escaping @Sendable (Element) throws -> Observable<Result>
    ) -> Observable<Result> { fatalError() }

    public func take(_ count: Int) -> Observable<Element> { fatalError() }
    public func skip(_ count: Int) -> Observable<Element> { fatalError() }
    public func startWith(_ elements: Element...) -> Observable<Element> { fatalError() }
    public func enumerated() -> Observable<(index: Int, element: Element)> { fatalError() }
    public func catchAndReturn(_ element: Element) -> Observable<Element> { fatalError() }
    public func share() -> Observable<Element> { fatalError() }

    public func `do`(onNext: (@Sendable (Element) throws -> Void)? = nil) -> Observable<Element> { fatalError() }

    public func subscribe(onNext: (@Sendable (Element) -> Void)? = nil) -> AnyObject { fatalError() }
}

extension Observable where Element: Equatable {
    public func distinctUntilChanged() -> Observable<Element> { fatalError() }
}
