/// The subscription to a source whose elements go into streams of their own, as `groupBy` and `windowToggle` make them:
/// it ends when the subscriber to the stream of streams and those to the streams themselves have all gone.
///
/// It is held when all of them hold it, the one to the stream of streams too unless it has gone. Fewer are not enough:
/// `concatMap` holds the stream of groups until the first group ends, which without elements it never would; and a group
/// at work on an element must not keep the others from theirs.
final class LentSubscription: Cancelable, Pausable {
    fileprivate struct State {
        /// `nil` when it has ended: it may be who holds this.
        var source: (any Disposable)?
        var isReturned = false
        var isHolding = false
        var loans = 0
        var holdingLoans = 0
        var isHeld = false
        /// The source has not been told yet.
        var isNews = false
    }

    private let state: Locked<State>

    init(_ source: any Disposable) {
        state = Locked(State(source: source))
    }

    /// Whether the subscriber to the stream of streams has gone.
    var isDisposed: Bool { state.withLock { $0.isReturned } }
    func dispose() { change { $0.isReturned = true } }
    func pause() { change { $0.isHolding = true } }
    func resume() { change { $0.isHolding = false } }

    /// The share of a subscriber to one of the streams, who can hear the source when ``settle()`` is called.
    func lend() -> any Pausable {
        let loan = Loan(of: self)
        _ = set { state in
            if state.source == nil { loan.isOver = true } else { state.loans += 1 }
        }
        return loan
    }

    /// Ends the source, whoever is still subscribed: it has nothing more to say.
    func finish() {
        let source = state.withLock { state in
            defer { state.source = nil }
            return state.source
        }
        source?.dispose()
    }

    fileprivate func change(_ body: (inout State) -> Void) {
        set(body)?.dispose()
        settle()
    }

    /// Returns the source if it has to end.
    private func set(_ body: (inout State) -> Void) -> (any Disposable)? {
        state.withLock { state in
            body(&state)
            if state.isReturned, state.loans == 0 {
                defer { state.source = nil }
                return state.source
            }
            let isHeld = (state.isReturned || state.isHolding) && state.holdingLoans == state.loans
            if state.isHeld != isHeld { state.isNews.toggle() }
            state.isHeld = isHeld
            return nil
        }
    }

    /// Tells the source, if there is news.
    fileprivate func settle() {
        let source = state.withLock { state in
            defer { state.isNews = false }
            return state.isNews ? state.source : nil
        }
        if let source = source as? any Pausable { tell(source) { state.withLock { $0.isHeld } } }
    }
}

/// Unchecked: its variables are touched under the lock of what was lent.
private final class Loan: Pausable, @unchecked Sendable {
    private let lent: LentSubscription
    var isOver = false
    private var isHolding = false

    init(of lent: LentSubscription) {
        self.lent = lent
    }

    func dispose() {
        lent.change { state in
            if isOver { return }
            isOver = true
            state.loans -= 1
            if isHolding { state.holdingLoans -= 1 }
        }
    }

    func pause() { hold(true) }
    func resume() { hold(false) }

    private func hold(_ isHolding: Bool) {
        lent.change { state in
            if isOver || self.isHolding == isHolding { return }
            self.isHolding = isHolding
            state.holdingLoans += isHolding ? 1 : -1
        }
    }
}

extension PublishSubject {
    /// This as one of the streams of elements of what is lent.
    func borrowing(_ lent: LentSubscription) -> Observable<Element> {
        Producer { sink in
            self.run(BorrowingSink(to: sink, lent.lend()))
            lent.settle()
        }
    }
}

/// Ends the loan with the subscription.
private final class BorrowingSink<Element>: OperatorSink<Element, Element> {
    private let loan: any Pausable

    init(to downstream: Sink<Element>, _ loan: any Pausable) {
        self.loan = loan
        super.init(to: downstream)
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        downstream.begin(with: CompositeDisposable(subscription, loan))
    }

    override func next(_ element: Element) { downstream.next(element) }
}
