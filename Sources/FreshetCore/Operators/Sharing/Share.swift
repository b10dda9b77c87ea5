/// How long what is replayed is kept. Source: RxSwift's `SubjectLifetimeScope`.
public enum SubjectLifetimeScope: Sendable {
    /// While there is a connection: who comes after the source has ended, or everybody has gone, starts it anew.
    case whileConnected
    /// For ever: who comes after the source has ended gets what is kept and that end.
    case forever
}

extension ObservableType {
    /// One subscription to the source for all observers, from the first one to the last one; each gets the last `replay`
    /// elements first. Source: RxSwift's `share(replay:scope:)`.
    ///
    /// The source is held when all observers are paused. While one is not, the others get what it gets; for one of them that
    /// would keep too much there is ``onOverflow(_:)``.
    @inlinable
    public func share(
        replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected
    ) -> Observable<Element> {
        switch (scope, replay) {
        case (.whileConnected, 0): publish().refCount()
        case (.whileConnected, _): self.replay(replay).refCount()
        case (.forever, 0): multicast(PublishSubject()).refCount()
        case (.forever, _): multicast(ReplaySubject.create(bufferSize: replay)).refCount()
        }
    }
}

extension ObservableType where Element: Sendable {
    /// One subscription to the source for all observers, which outlasts the last of them by `gracePeriod`; each gets first
    /// of the last `replay` elements those that are younger than `window`.
    ///
    ///     source:                              -a-b-c---d--|
    ///     share(replay: 2, window: 3, from 6): ------c--d--|
    ///
    ///     cold source:                            -a-b-c-d-e|
    ///     share(gracePeriod: 3, after 4, from 6): -------d-e|
    ///
    /// In the pictures there is an observer from the start; in the second it leaves at 4. Another comes at 6.
    ///
    /// - Parameters:
    ///   - replay: how many of the latest elements a late observer gets.
    ///   - window: without one, elements do not grow too old.
    ///   - scope: whether what is replayed outlives a connection.
    ///   - gracePeriod: how long a connection stays without an observer.
    ///   - scheduler: the clock, and where a connection ends whose grace period is over.
    @preconcurrency
    public func share(
        replay: Int = 0, window: RxTimeInterval? = nil, scope: SubjectLifetimeScope = .whileConnected,
        gracePeriod: RxTimeInterval = .zero, scheduler: any SchedulerType
    ) -> Observable<Element> {
        let makeSubject: @Sendable () -> ReplaySubject<Element> = {
            window.map { .create(bufferSize: replay, window: $0, scheduler: scheduler) } ?? .create(bufferSize: replay)
        }
        let shared: ConnectableObservable<Element> =
            switch scope {
            case .whileConnected: multicast(makeSubject: makeSubject)
            case .forever: multicast(makeSubject())
            }
        return shared.refCount(gracePeriod: gracePeriod, scheduler: scheduler)
    }
}
