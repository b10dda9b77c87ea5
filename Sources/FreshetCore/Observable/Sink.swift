/// The receiver of a stream's events inside a chain of operators. To write an operator, inherit from ``OperatorSink``.
///
/// A sink relies on its source for these rules:
///
/// - The calls are serial.
/// - The source calls ``begin(with:)`` first and exactly once, before the subscribing call returns.
/// - The source calls nothing after ``error(_:)`` or ``completed()``, or after the calling thread has disposed of the
///   subscription.
///
/// Therefore an operator needs no state of its own to enforce these rules. Sources of foreign events (`create`,
/// subjects) enforce the rules once, and so does the subscriber at the end of the chain. A subclass follows the same
/// rules towards the sink downstream.
///
/// A sink that *consumes* the terminal event disposes of the subscription that it received in `begin`. A sink that
/// forwards the event also forwards the subscription.
///
/// The source calls the sink on the thread on which it emits. Source: RxSwift's `Sink`.
open class Sink<Element> {
    @inlinable
    public init() {}

    /// Receives the subscription to the source. The sink can dispose of it, and can pause the source if the
    /// subscription is ``Pausable``. The subscription is an object because an object costs less to store than a value
    /// of any type.
    open func begin(with subscription: any Disposable & AnyObject) {}

    /// Receives an element.
    open func next(_ element: Element) {}

    /// The source has failed.
    open func error(_ error: any Error) {}

    /// The source has completed.
    open func completed() {}
}

extension Sink {
    /// Receives an event and calls ``next(_:)``, ``error(_:)`` or ``completed()``.
    @inlinable
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): next(element)
        case .error(let error): self.error(error)
        case .completed: completed()
        }
    }
}

/// A sink between a source and the sink downstream. It forwards every call that it does not override: the source's
/// subscription, unchanged, and therefore its pause, and both terminal events.
///
/// Override ``Sink/next(_:)``. Override ``Sink/completed()`` or ``Sink/error(_:)`` if the operator emits something
/// before the end. An operator that ends before its source, or emits several elements for one, inherits from
/// ``ClosingOperatorSink``. The page <doc:WritingAnOperator> shows both.
open class OperatorSink<Element, Result>: Sink<Element> {
    /// The sink that receives the results.
    public let downstream: Sink<Result>

    /// - Parameter downstream: the sink that receives the results.
    @inlinable
    public init(to downstream: Sink<Result>) {
        self.downstream = downstream
    }

    open override func begin(with subscription: any Disposable & AnyObject) {
        downstream.begin(with: subscription)
    }

    open override func error(_ error: any Error) {
        downstream.error(error)
    }

    open override func completed() {
        downstream.completed()
    }
}
