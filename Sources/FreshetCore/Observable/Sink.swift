/// The receiving end of a stream inside the library: what an operator is made of.
///
/// A sink trusts its source: the calls are serial, ``begin(with:)`` comes first and exactly once, before the subscribing
/// call returns; after ``error(_:)`` or ``completed()``, and after the subscription has been disposed of by the calling
/// thread, nothing follows. So no operator needs a gate of its own; sources of foreign events (`create`, subjects)
/// guard the rules once, and so does the ``Subscriber`` at the end.
///
/// Who *consumes* the terminal event disposes of the subscription that came with `begin`; who forwards the event forwards
/// the subscription too.
@usableFromInline
class Sink<Element> {
    @inlinable
    init() {}

    /// Takes the subscription to the source, with which it can be ended and, if it is ``Pausable``, be held. An object, which
    /// costs less to keep than a value of any type.
    @usableFromInline
    func begin(with subscription: any Disposable & AnyObject) {}

    @usableFromInline
    func next(_ element: Element) {}

    /// Whether an element had better come as an event, for it is handed on as that.
    @usableFromInline var takesEvents: Bool { false }

    /// The same as an event, a `next` always, for those who said so: putting the element into one is a copy.
    @usableFromInline
    func next(as event: Event<Element>) {}

    @usableFromInline
    func error(_ error: any Error) {}

    @usableFromInline
    func completed() {}
}

extension Sink {
    @inlinable
    func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): next(element)
        case .error(let error): self.error(error)
        case .completed: completed()
        }
    }
}

/// A sink that stands between a source and the sink downstream, and hands on whatever it does not override: the
/// source's subscription, untouched, and both terminal events.
@usableFromInline
class Pipe<Element, Result>: Sink<Element> {
    @usableFromInline let downstream: Sink<Result>

    @inlinable
    init(to downstream: Sink<Result>) {
        self.downstream = downstream
    }

    @usableFromInline
    override func begin(with subscription: any Disposable & AnyObject) {
        downstream.begin(with: subscription)
    }

    @usableFromInline
    override func error(_ error: any Error) {
        downstream.error(error)
    }

    @usableFromInline
    override func completed() {
        downstream.completed()
    }
}
