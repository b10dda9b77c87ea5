/// The receiving end of a stream inside a chain: what an operator is made of. To write one, inherit from ``OperatorSink``.
///
/// A sink trusts its source: the calls are serial, ``begin(with:)`` comes first and exactly once, before the subscribing
/// call returns; after ``error(_:)`` or ``completed()``, and after the subscription has been disposed of by the calling
/// thread, nothing follows. So no operator needs a gate of its own; sources of foreign events (`create`, subjects)
/// guard the rules once, and so does the subscriber at the end. A subclass keeps the same rules towards the sink downstream.
///
/// Who *consumes* the terminal event disposes of the subscription that came with `begin`; who forwards the event forwards
/// the subscription too.
///
/// Calls come on whichever thread the source emits on. Source: RxSwift's `Sink`.
open class Sink<Element> {
    @inlinable
    public init() {}

    /// Takes the subscription to the source, with which it can be ended and, if it is ``Pausable``, be held. An object, which
    /// costs less to keep than a value of any type.
    open func begin(with subscription: any Disposable & AnyObject) {}

    /// Takes an element.
    open func next(_ element: Element) {}

    /// The source has failed.
    open func error(_ error: any Error) {}

    /// The source has completed.
    open func completed() {}
}

extension Sink {
    /// Takes an event: an element, an error or the completion.
    @inlinable
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): next(element)
        case .error(let error): self.error(error)
        case .completed: completed()
        }
    }
}

/// A sink that stands between a source and the sink downstream, and hands on whatever it does not override: the
/// source's subscription, untouched, with which a pause goes by, and both terminal events.
///
/// Override ``Sink/next(_:)``, and ``Sink/completed()`` or ``Sink/error(_:)`` if there is something to say before the end. An
/// operator that ends before its source, or emits several elements for one, inherits from ``ClosingOperatorSink``. The page
/// <doc:WritingAnOperator> shows both.
open class OperatorSink<Element, Result>: Sink<Element> {
    /// Where results go.
    public let downstream: Sink<Result>

    /// - Parameter downstream: where results go.
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
