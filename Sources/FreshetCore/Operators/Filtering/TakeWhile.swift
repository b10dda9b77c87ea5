/// Whether `take` emits the element that ends the stream. Source: RxSwift's `TakeBehavior`.
public enum TakeBehavior: Sendable {
    /// The element is emitted before the completion.
    case inclusive
    /// The element is not emitted.
    case exclusive
}

extension ObservableType {
    /// Emits the elements until one satisfies `predicate`, then completes. An error that `predicate` throws ends the
    /// stream. Source: RxSwift's `take(until:behavior:)`.
    @preconcurrency
    public func take(
        until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Observable<Element> {
        asObservable().linear { TakeUntilSatisfiedSink(to: $0, behavior, predicate) }
    }

    /// Emits the elements as long as they satisfy `predicate`, then completes. An error that `predicate` throws ends
    /// the stream. Source: RxSwift's `take(while:behavior:)`.
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
