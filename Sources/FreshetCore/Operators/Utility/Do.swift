extension ObservableType {
    /// Calls the closures beside the stream; an error that one of them throws ends it. Source: RxSwift's `do`.
    ///
    /// `on…` is called before the event goes downstream, `after…` after it; `onDispose` once, whatever ended the
    /// subscription, after the source's has been disposed of.
    @preconcurrency
    public func `do`(
        onNext: (@Sendable (Element) throws -> Void)? = nil,
        afterNext: (@Sendable (Element) throws -> Void)? = nil,
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Observable<Element> {
        let source = asObservable()
        return Producer { downstream in
            onSubscribe?()
            let sink = DoSink(to: downstream, onDispose: onDispose)
            sink.onNext = onNext
            sink.afterNext = afterNext
            sink.onError = onError
            sink.afterError = afterError
            sink.onCompleted = onCompleted
            sink.afterCompleted = afterCompleted
            source.run(sink)
            onSubscribed?()
        }
    }
}

private final class DoSink<Element>: Pipe<Element, Element> {
    var onNext: ((Element) throws -> Void)?
    var afterNext: ((Element) throws -> Void)?
    var onError: ((any Error) throws -> Void)?
    var afterError: ((any Error) throws -> Void)?
    var onCompleted: (() throws -> Void)?
    var afterCompleted: (() throws -> Void)?
    private let onDispose: (@Sendable () -> Void)?
    private var hasEnded = false

    init(to downstream: Sink<Element>, onDispose: (@Sendable () -> Void)?) {
        self.onDispose = onDispose
        super.init(to: downstream)
    }

    override func begin(with subscription: any Disposable) {
        guard let onDispose else { return downstream.begin(with: subscription) }
        downstream.begin(with: EndingSubscription(subscription, then: onDispose))
    }

    override func next(_ element: Element) {
        do {
            try onNext?(element)
            downstream.next(element)
            try afterNext?(element)
        } catch {
            end(with: .error(error))
        }
    }

    override func error(_ error: any Error) {
        do {
            try onError?(error)
            end(with: .error(error))
            try afterError?(error)
        } catch {
            end(with: .error(error))
        }
    }

    override func completed() {
        do {
            try onCompleted?()
            end(with: .completed)
            try afterCompleted?()
        } catch {
            end(with: .error(error))
        }
    }

    // An `after…` that throws comes after an end, perhaps: downstream has one only.
    private func end(with event: Event<Element>) {
        if hasEnded { return }
        hasEnded = true
        downstream.on(event)
    }
}

/// A subscription that calls a closure when it has been disposed of.
private final class EndingSubscription: Pausable {
    private let subscription: any Disposable
    private let ending: any Cancelable

    init(_ subscription: any Disposable, then action: @escaping @Sendable () -> Void) {
        self.subscription = subscription
        ending = Disposables.create(with: action)
    }

    func dispose() {
        subscription.dispose()
        ending.dispose()
    }

    func pause() { (subscription as? any Pausable)?.pause() }
    func resume() { (subscription as? any Pausable)?.resume() }
}
