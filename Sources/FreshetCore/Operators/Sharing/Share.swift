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
