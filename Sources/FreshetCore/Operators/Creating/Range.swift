extension ObservableType where Element: FixedWidthInteger {
    /// `count` numbers from `start` on. Source: RxSwift's `range`.
    ///
    /// A negative count, or a number that does not fit the type, is a programmer's error.
    public static func range(
        start: Element, count: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        precondition(count >= 0, "range(start:count:): the count can't be negative")
        return Unfold(Count(number: start, remaining: count), on: scheduler)
    }
}

extension ObservableType {
    /// `element`, again and again, for ever. Source: RxSwift's `repeatElement`.
    public static func repeatElement(
        _ element: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        Observable<Element>.iterating(Swift.repeatElement(element, count: .max), on: scheduler)
    }

    /// `initialState`, then what `iterate` makes of the state before, while `condition` holds. Source: RxSwift's
    /// `generate`.
    @preconcurrency
    public static func generate(
        initialState: Element, condition: @escaping @Sendable (Element) throws -> Bool,
        scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance,
        iterate: @escaping @Sendable (Element) throws -> Element
    ) -> Observable<Element> {
        Unfold(Generation(initialState: initialState, condition: condition, iterate: iterate), on: scheduler)
    }
}

/// A source whose steps each subscription takes from the start. Unchecked: they are only ever copied.
private final class Unfold<Steps: Unfolding>: Observable<Steps.Element>, @unchecked Sendable {
    private let steps: Steps
    private let scheduler: any ImmediateSchedulerType

    init(_ steps: Steps, on scheduler: any ImmediateSchedulerType) {
        self.steps = steps
        self.scheduler = scheduler
    }

    override func run(_ sink: Sink<Steps.Element>) {
        Emission(steps, to: sink, on: scheduler).start()
    }
}

private struct Count<Number: FixedWidthInteger>: Unfolding {
    var number: Number
    var remaining: Number

    mutating func next() -> Number? {
        guard remaining > 0 else { return nil }
        defer {
            remaining -= 1
            if remaining > 0 { number += 1 }
        }
        return number
    }
}

private struct Generation<Element>: Unfolding {
    let initialState: Element
    let condition: (Element) throws -> Bool
    let iterate: (Element) throws -> Element
    private var state: Element?

    init(
        initialState: Element, condition: @escaping (Element) throws -> Bool,
        iterate: @escaping (Element) throws -> Element
    ) {
        self.initialState = initialState
        self.condition = condition
        self.iterate = iterate
    }

    mutating func next() throws -> Element? {
        let next = try state.map(iterate) ?? initialState
        state = next
        return try condition(next) ? next : nil
    }
}
