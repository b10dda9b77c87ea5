extension ObservableType {
    /// Sets the task-local value `local` to `value` for the upstream part of the chain: for the closures of all
    /// operators from the source to here, for the streams that they subscribe to, and for all other work that they
    /// cause. See ``SubscriptionContext``.
    ///
    ///     source:                     -a--b--|
    ///     bindingTaskLocal($user, x): -a--b--|
    ///
    /// The downstream part, including the subscriber, runs in the context of the subscribing call. A pause of the
    /// subscription passes through to the source.
    ///
    ///     sessions.flatMap { client.send($0.request) }    // logged, traced and refreshed for ada
    ///         .bindingTaskLocal(Audit.$user, to: "ada")
    ///
    /// Source: Reactor's `contextWrite`, Swift's `TaskLocal.withValue`.
    public func bindingTaskLocal<Value>(_ local: TaskLocal<Value>, to value: Value) -> Observable<Element> {
        asObservable().inContext { $0.binding(local, to: value) }
    }

    /// Sets the task-local value `local` for the upstream part of the chain to the value that it has in the subscribing
    /// call. So the chain continues with the value of the subscribing task.
    public func bindingTaskLocal<Value>(_ local: TaskLocal<Value>) -> Observable<Element> {
        asObservable().inContext { $0.binding(local, to: local.get()) }
    }
}

extension Observable {
    /// Runs the upstream part of the chain in the context that `change` returns for the context of the subscriber.
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

/// The sink between two contexts. Events enter the outer context, and calls to the subscription enter the inner one.
private final class BindingSink<Element>: ContextSink<Element> {
    private let inner: SubscriptionContext

    init(to downstream: Sink<Element>, in inner: SubscriptionContext, below outer: SubscriptionContext) {
        self.inner = inner
        super.init(to: downstream, in: outer)
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        let subscription = ContextSubscription(subscription, in: inner, disposesInContext: true)
        context.run { downstream.begin(with: subscription) }
    }
}
