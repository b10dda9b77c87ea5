/// Calls `downstream` in the sink's own context, regardless of the context in which an event arrives.
class ContextSink<Element>: OperatorSink<Element, Element> {
    final let context: SubscriptionContext

    init(to downstream: Sink<Element>, in context: SubscriptionContext) {
        self.context = context
        super.init(to: downstream)
    }

    final override func next(_ element: Element) { context.run { downstream.next(element) } }
    final override func error(_ error: any Error) { context.run { downstream.error(error) } }
    final override func completed() { context.run { downstream.completed() } }
}

/// Pauses and resumes a subscription in the context of its chain, regardless of the context of the caller, and disposes of
/// it there if asked to. A resumed source emits within the call.
final class ContextSubscription: Pausable {
    private let source: any Disposable
    private let context: SubscriptionContext
    private let disposesInContext: Bool

    /// - Parameter disposesInContext: whether `dispose` runs in that context too; otherwise it runs in the context of the caller.
    init(_ source: any Disposable, in context: SubscriptionContext, disposesInContext: Bool = false) {
        self.source = source
        self.context = context
        self.disposesInContext = disposesInContext
    }

    func dispose() {
        if disposesInContext { context.run { source.dispose() } } else { source.dispose() }
    }

    func pause() { context.run { (source as? any Pausable)?.pause() } }
    func resume() { context.run { (source as? any Pausable)?.resume() } }
}

extension Disposable where Self: AnyObject {
    /// The same subscription, paused and resumed in the context that is current now. Used where callers from outside the
    /// chain can pause and resume it.
    var pausedInCurrentContext: any Disposable & AnyObject {
        SubscriptionContext.isInUse ? ContextSubscription(self, in: .current) : self
    }
}

extension Sink {
    /// The same sink, called in the context that is current now. Used for events from outside the chain, whose senders
    /// do not know the chain's context.
    @usableFromInline var inCurrentContext: Sink {
        SubscriptionContext.isInUse ? boundToCurrentContext() : self
    }

    // A separate function, because it names a sink type, whose metadata is looked up before the function branches.
    @inline(never)
    private func boundToCurrentContext() -> Sink { ContextSink(to: self, in: .current) }
}
