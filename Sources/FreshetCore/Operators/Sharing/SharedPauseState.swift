import Synchronization

/// Who shares a source, and who of them holds: the source is held when all of them do.
///
/// It is not held by the slowest alone, for operators pause where nobody sees it: `concatMap` holds the very stream of
/// which the one it runs may wait for an element, and neither would ever go on.
final class SharedPauseState: Sendable {
    private struct State {
        var members = 0
        var holders = 0
        var isOn = false
        /// The source has not been told yet.
        var isNews = false

        mutating func updateSource() {
            let isOn = members > 0 && holders == members
            if self.isOn != isOn { isNews.toggle() }
            self.isOn = isOn
        }
    }

    private let source: any Pausable
    private let state = Locked(State())

    init(of source: any Pausable) {
        self.source = source
    }

    /// Counts one more. The source hears of it when ``updateSource()`` is called, which is when this one can hear the source.
    fileprivate func join() {
        state.withLock { state in
            state.members += 1
            state.updateSource()
        }
    }

    fileprivate func remove(asHolder isHolder: Bool) {
        state.withLock { state in
            state.members -= 1
            if isHolder { state.holders -= 1 }
            state.updateSource()
        }
        updateSource()
    }

    fileprivate func changeHolders(by difference: Int) {
        state.withLock { state in
            state.holders += difference
            state.updateSource()
        }
        updateSource()
    }

    /// Tells the source, if there is news.
    func updateSource() {
        let isNews = state.withLock { state in
            defer { state.isNews = false }
            return state.isNews
        }
        if isNews { pauseOrResume(source) { state.withLock { $0.isOn } } }
    }
}

/// One subscription among those that share a source.
final class SharedSubscription: Pausable {
    private static var held: UInt8 { 1 }
    private static var over: UInt8 { 2 }

    private let subscription: any Disposable
    private let share: (any Disposable)?
    private let hold: SharedPauseState
    private let state = Atomic<UInt8>(0)

    /// - Parameter share: what ends after `subscription`.
    init(_ subscription: any Disposable, _ share: (any Disposable)? = nil, holding hold: SharedPauseState) {
        self.subscription = subscription
        self.share = share
        self.hold = hold
        hold.join()
    }

    // First what it ends: a source that nobody wants any more must not be set going for the last time.
    func dispose() {
        let before = state.bitwiseOr(Self.over, ordering: .acquiringAndReleasing).oldValue
        if before & Self.over != 0 { return }
        subscription.dispose()
        share?.dispose()
        hold.remove(asHolder: before & Self.held != 0)
    }

    func pause() {
        let (isDone, _) = state.compareExchange(expected: 0, desired: Self.held, ordering: .acquiringAndReleasing)
        if isDone { hold.changeHolders(by: 1) }
    }

    func resume() {
        let (isDone, _) = state.compareExchange(expected: Self.held, desired: 0, ordering: .acquiringAndReleasing)
        if isDone { hold.changeHolders(by: -1) }
    }
}

/// One who shares without a lease.
final class SharingSink<Element>: OperatorSink<Element, Element> {
    private let hold: SharedPauseState

    init(to downstream: Sink<Element>, _ hold: SharedPauseState) {
        self.hold = hold
        super.init(to: downstream)
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        downstream.begin(with: SharedSubscription(subscription, holding: hold))
    }

    override func next(_ element: Element) { downstream.next(element) }
}
