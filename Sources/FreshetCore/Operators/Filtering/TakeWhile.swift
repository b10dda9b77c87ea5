/// Whether the element that ends a `take` belongs to it. Source: RxSwift's `TakeBehavior`.
public enum TakeBehavior: Sendable {
    /// It is emitted before the end.
    case inclusive
    /// It is not emitted.
    case exclusive
}

extension ObservableType {
    /// The elements until one satisfies `predicate`; then the end. Source: RxSwift's `take(until:behavior:)`.
    @preconcurrency
    public func take(
        until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Observable<Element> {
        return asObservable().linear { TakeUntilSatisfiedSink(to: $0, behavior, predicate) }
    }

    /// The elements as long as they satisfy `predicate`; then the end. Source: RxSwift's `take(while:behavior:)`.
    @preconcurrency
    public func take(
        while predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Observable<Element> {
        take(until: { try !predicate($0) }, behavior: behavior)
    }
}

private final class TakeUntilSatisfiedSink<Element>: ClosingOperatorSink<Element, Element> {
    private let behavior: TakeBehavior
    private let predicate: (Element) throws -> Bool
    private var hasEnded = false

    init(to downstream: Sink<Element>, _ behavior: TakeBehavior, _ predicate: @escaping (Element) throws -> Bool) {
        self.behavior = behavior
        self.predicate = predicate
        super.init(to: downstream)
    }

    override func next(_ element: Element) {
        if hasEnded { return }
        do {
            hasEnded = try predicate(element)
            if !hasEnded {
                downstream.next(element)
            } else if behavior == .inclusive {
                finish(with: element)
            } else {
                downstream.completed()
            }
        } catch {
            downstream.error(error)
        }
    }
}
