/// Hands on to `downstream` in its own context, whatever the context is in which an element comes.
private final class ContextSink<Element>: OperatorSink<Element, Element> {
    private let context: SubscriptionContext

    init(to downstream: Sink<Element>, in context: SubscriptionContext) {
        self.context = context
        super.init(to: downstream)
    }

    override func next(_ element: Element) { context.run { downstream.next(element) } }
    override func error(_ error: any Error) { context.run { downstream.error(error) } }
    override func completed() { context.run { downstream.completed() } }
}

extension Sink {
    /// The same sink, which is told in the context that is current now: for events from outside of the chain, whose senders
    /// know nothing of its context.
    @usableFromInline var inCurrentContext: Sink {
        SubscriptionContext.isInUse ? boundToCurrentContext() : self
    }

    // Apart, for it names a type of sink, which is looked up before a function branches.
    @inline(never)
    private func boundToCurrentContext() -> Sink { ContextSink(to: self, in: .current) }
}
