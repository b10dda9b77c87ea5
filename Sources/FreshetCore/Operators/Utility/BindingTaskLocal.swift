extension ObservableType {
    /// The same stream, above which `local` has the value `value`: in the closures of all operators from the source to here, in
    /// the streams that they subscribe to, and in whatever else they cause; see ``SubscriptionContext``.
    ///
    ///     source:                     -a--b--|
    ///     bindingTaskLocal($user, x): -a--b--|
    ///
    /// What stands below, the subscriber included, runs in the context in which somebody subscribes. A pause goes through.
    ///
    ///     sessions.flatMap { client.send($0.request) }    // logged, traced and refreshed for ada
    ///         .bindingTaskLocal(Audit.$user, to: "ada")
    ///
    /// Source: Reactor's `contextWrite`, Swift's `TaskLocal.withValue`.
    public func bindingTaskLocal<Value>(_ local: TaskLocal<Value>, to value: Value) -> Observable<Element> {
        asObservable().inContext { $0.binding(local, to: value) }
    }

    /// The same stream, above which `local` has the value that it has where somebody subscribes, so that a chain goes on with
    /// what the subscribing task has.
    public func bindingTaskLocal<Value>(_ local: TaskLocal<Value>) -> Observable<Element> {
        asObservable().inContext { $0.binding(local, to: local.get()) }
    }
}

extension Observable {
    /// The same stream, above which the context is current that `change` makes of the subscriber's.
    package func inContext(
        _ change: @escaping @Sendable (SubscriptionContext) -> SubscriptionContext
    ) -> Observable<Element> {
        let source = self
        return Producer(after: source) { sink in
            let outer = SubscriptionContext.current
            let inner = change(outer)
            inner.run { source.run(BindingSink(to: sink, in: inner, below: outer)) }
        }
    }
}

/// The border between two contexts: events leave the inner one, calls of the subscription enter it.
private final class BindingSink<Element>: OperatorSink<Element, Element> {
    private let inner: SubscriptionContext
    private let outer: SubscriptionContext

    init(to downstream: Sink<Element>, in inner: SubscriptionContext, below outer: SubscriptionContext) {
        self.inner = inner
        self.outer = outer
        super.init(to: downstream)
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        let subscription = ContextSubscription(subscription, in: inner)
        outer.run { downstream.begin(with: subscription) }
    }

    override func next(_ element: Element) { outer.run { downstream.next(element) } }
    override func error(_ error: any Error) { outer.run { downstream.error(error) } }
    override func completed() { outer.run { downstream.completed() } }
}

/// What is done to a subscription, done in its context.
private final class ContextSubscription: Pausable {
    private let source: any Disposable
    private let context: SubscriptionContext

    init(_ source: any Disposable, in context: SubscriptionContext) {
        self.source = source
        self.context = context
    }

    func dispose() { context.run { source.dispose() } }
    func pause() { context.run { (source as? any Pausable)?.pause() } }
    func resume() { context.run { (source as? any Pausable)?.resume() } }
}
