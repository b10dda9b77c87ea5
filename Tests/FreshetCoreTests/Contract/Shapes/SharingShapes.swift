import FreshetCore

extension Shape {
    static let sharing: [Shape] = [
        Shape("multicast(_:)", .combining) { $0.a.multicast(ReplaySubject<Int>.create(bufferSize: 1)).connected() },
        Shape("multicast(makeSubject:)", .combining) { $0.a.multicast(makeSubject: { PublishSubject() }).connected() },
        Shape("multicast(_:selector:)", .combining) {
            $0.a.multicast({ PublishSubject<Int>() }) { .merge($0, $0.map { $0 + 1 }) }
        },
        Shape("publish()", .combining) { $0.a.publish().connected() },
        Shape("replay(_:)", .combining) { $0.a.replay(2).connected() },
        Shape("replayAll()", .combining) { $0.a.replayAll().connected() },
        Shape("refCount()", .combining) { $0.a.publish().refCount() },
        Shape("connect()", .combining) { $0.a.publish().connected() },
        Shape("share(replay:scope:)", .combining) { $0.a.share() },
        Shape("share(replay:scope:)", .combining) { $0.a.share(replay: 2, scope: .whileConnected) },
        Shape("share(replay:scope:)", .combining) { fixture in
            let shared = fixture.a.share(replay: 1, scope: .forever)
            return .merge(shared, shared)
        },
        Shape("refCount(gracePeriod:scheduler:)", .combining) {
            $0.a.publish().refCount(gracePeriod: .seconds(1), scheduler: $0.scheduler)
        },
        Shape("replay(_:window:scheduler:)", .combining) {
            $0.a.replay(2, window: .seconds(2), scheduler: $0.scheduler).connected()
        },
        Shape("share(replay:window:scope:gracePeriod:scheduler:)", .combining) {
            $0.a.share(replay: 2, window: .seconds(2), gracePeriod: .seconds(1), scheduler: $0.scheduler)
        },
    ]
}

extension ConnectableObservable {
    /// Connects after each subscription.
    fileprivate func connected() -> Observable<Element> {
        .create { observer in CompositeDisposable(self.subscribe(observer), self.connect()) }
    }
}
