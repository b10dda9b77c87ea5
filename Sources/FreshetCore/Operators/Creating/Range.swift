extension ObservableType where Element: FixedWidthInteger {
    /// Emits `count` numbers, beginning with `start`, then completes. Source: RxSwift's `range`.
    ///
    /// A negative count, or a number that does not fit the type, is a programming error.
    @inlinable
    public static func range(
        start: Element, count: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        precondition(count >= 0, "range(start:count:): the count can't be negative")
        return Observable<Element>.unfolding(Count(number: start, remaining: count), on: scheduler)
    }
}

extension ObservableType {
    /// Emits `element` repeatedly, without end. Source: RxSwift's `repeatElement`.
    @inlinable
    public static func repeatElement(
        _ element: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        Observable<Element>.iterating(Swift.repeatElement(element, count: .max), on: scheduler)
    }

    /// Emits `initialState`, and then the results of `iterate`, which receives the previous element. The stream
    /// completes before the first element for which `condition` returns `false`. An error that `condition` or `iterate`
    /// throws ends the stream. Source: RxSwift's `generate`.
    @inlinable
    @preconcurrency
    public static func generate(
        initialState: Element, condition: @escaping @Sendable (Element) throws -> Bool,
        scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance,
        iterate: @escaping @Sendable (Element) throws -> Element
    ) -> Observable<Element> {
        Observable<Element>.unfolding(
            Generation(initialState: initialState, condition: condition, iterate: iterate), on: scheduler)
    }
}

extension Observable {
    /// Returns a stream whose subscriptions each run through a copy of `steps` from the start. It is a function instead
    /// of a class, so that callers can specialize the loop. The sendability of `steps` is unchecked, because the stream
    /// only copies `steps`.
    @inlinable
    static func unfolding<Steps: ElementGenerator>(
        _ steps: Steps, on scheduler: any ImmediateSchedulerType
    ) -> Observable<Element> where Steps.Element == Element {
        Producer(unchecked: ()) { GeneratorSubscription(steps, to: $0, on: scheduler).start() }
    }
}

@usableFromInline
struct Count<Number: FixedWidthInteger>: ElementGenerator {
    @usableFromInline var number: Number
    @usableFromInline var remaining: Number

    @inlinable
    init(number: Number, remaining: Number) {
        self.number = number
        self.remaining = remaining
    }

    @inlinable
    mutating func next() -> Number? {
        guard remaining > 0 else { return nil }
        defer {
            remaining -= 1
            if remaining > 0 { number += 1 }
        }
        return number
    }
}

@usableFromInline
struct Generation<Element>: ElementGenerator {
    @usableFromInline let initialState: Element
    @usableFromInline let condition: (Element) throws -> Bool
    @usableFromInline let iterate: (Element) throws -> Element
    @usableFromInline var state: Element?

    @inlinable
    init(
        initialState: Element, condition: @escaping (Element) throws -> Bool,
        iterate: @escaping (Element) throws -> Element
    ) {
        self.initialState = initialState
        self.condition = condition
        self.iterate = iterate
    }

    @inlinable
    mutating func next() throws -> Element? {
        let next = try state.map(iterate) ?? initialState
        state = next
        return try condition(next) ? next : nil
    }
}
