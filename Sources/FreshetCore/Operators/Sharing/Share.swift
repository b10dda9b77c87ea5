/// How long the replayed elements are kept. Source: RxSwift's `SubjectLifetimeScope`.
public enum SubjectLifetimeScope: Sendable {
    /// The elements are kept while there is a connection. An observer that subscribes after the source has ended, or
    /// after all observers have disposed of their subscriptions, subscribes to the source again.
    case whileConnected
    /// The elements are kept permanently. An observer that subscribes after the source has ended receives the kept
    /// elements and the stop event.
    case forever
}

extension ObservableType {
    /// Serves all observers from one subscription to the source, which lasts from the first observer to the last one.
    /// Each observer first receives the last `replay` elements. Source: RxSwift's `share(replay:scope:)`.
    ///
    /// The source is paused when all observers are paused. While at least one observer is not paused, the others
    /// receive its elements too. An observer that would have to keep too many elements can use ``onOverflow(_:)``.
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
    /// Serves all observers from one subscription to the source, which lasts until it has had no observer for
    /// `gracePeriod`. Each observer first receives those of the last `replay` elements that are younger than `window`.
    ///
    ///     source:                              -a-b-c---d--|
    ///     share(replay: 2, window: 3, from 6): ------c--d--|
    ///
    ///     cold source:                            -a-b-c-d-e|
    ///     share(gracePeriod: 3, after 4, from 6): -------d-e|
    ///
    /// In the diagrams, one observer subscribes at the start and another at 6. In the second diagram, the first
    /// observer disposes of its subscription at 4.
    ///
    /// - Parameters:
    ///   - replay: the number of latest elements that a late observer receives.
    ///   - window: the maximum age of a replayed element. Without it the age is unlimited.
    ///   - scope: whether the replayed elements outlive a connection.
    ///   - gracePeriod: how long a connection lasts without an observer.
    ///   - scheduler: the clock. A connection whose grace period has passed ends on this scheduler.
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
