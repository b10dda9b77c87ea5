/// The subscription to a source whose elements go into streams of their own, as `groupBy` and `windowToggle` make them:
/// it ends when the subscriber to the stream of streams and those to the streams themselves have all gone.
///
/// It is held while a subscriber to one of the streams holds it; by the one to the stream of streams only as long as
/// there is no other. For `concatMap` holds the stream of groups until the first group ends, which without elements it
/// never would.
final class LentSubscription: Cancelable, Pausable {
    fileprivate struct State {
        /// `nil` when it has ended: it may be who holds this.
        var source: (any Disposable)?
        var isReturned = false
        var isHolding = false
        var loans = 0
        var holdingLoans = 0
        /// What the source is to be told.
        var isHeld = false
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

    /// The share of a subscriber to one of the streams.
    func lend() -> any Pausable {
        let loan = Loan(of: self)
        change { state in
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
        let (ended, isChanged) = state.withLock { state -> ((any Disposable)?, Bool) in
            body(&state)
            if state.isReturned, state.loans == 0 {
                defer { state.source = nil }
                return (state.source, false)
            }
            let isHeld = state.holdingLoans > 0 || state.loans == 0 && state.isHolding
            defer { state.isHeld = isHeld }
            return (nil, state.isHeld != isHeld)
        }
        ended?.dispose()
        if isChanged { tellSource() }
    }

    // Said until it is still so, or a pause could come after the resume that undoes it.
    private func tellSource() {
        var isHeld: Bool
        repeat {
            let source: (any Disposable)?
            (source, isHeld) = state.withLock { ($0.source, $0.isHeld) }
            guard let source = source as? any Pausable else { return }
            if isHeld { source.pause() } else { source.resume() }
        } while state.withLock { $0.isHeld } != isHeld
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
        Producer { sink in self.run(BorrowingSink(to: sink, lent.lend())) }
    }
}

/// Ends the loan with the subscription.
private final class BorrowingSink<Element>: Pipe<Element, Element> {
    private let loan: any Pausable

    init(to downstream: Sink<Element>, _ loan: any Pausable) {
        self.loan = loan
        super.init(to: downstream)
    }

    override func begin(with subscription: any Disposable) {
        downstream.begin(with: CompositeDisposable(subscription, loan))
    }

    override func next(_ element: Element) { downstream.next(element) }
}
