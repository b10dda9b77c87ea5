import FreshetCore

extension Shape {
    /// Operators for streams of streams, and for streams one after the other.
    static let merging: [Shape] = [
        Shape("amb(_:)", .combining) { $0.a.amb($0.b) },
        Shape("amb(_:)", .combining) { .amb([$0.c.asObservable(), $0.b.asObservable(), $0.a.asObservable()]) },
        Shape("concat(_:)", .combining) { $0.a.take(2).concat($0.b) },
        Shape("concat(_:)", .combining) { .concat([$0.a.take(1), $0.b.take(1), $0.c.asObservable()].lazy.map { $0 }) },
        Shape("concat(_:)", .combining) { .concat($0.a.take(1), .just(0), $0.b.take(1), $0.c.asObservable()) },
        Shape("concat()", .combining) { stand in stand.a.map { $0 == 2 ? .just(0) : stand.b.take(1) }.concat() },
        Shape("concatDelayError()", .combining) { stand in
            stand.a.map { $0 == 2 ? .error(Fault.second) : stand.b.take(1) }.concatDelayError()
        },
        Shape("concatDelayError(_:)", .combining) { .concatDelayError([$0.a.take(1), $0.b.asObservable()]) },
        Shape("concatDelayError(_:)", .combining) {
            .concatDelayError($0.a.take(1), .error(Fault.first), $0.b.take(1))
        },
        Shape("concatMap(_:)", .combining) { stand in stand.a.concatMap { _ in stand.b.take(1) } },
        Shape("concatMapEager(maxConcurrent:_:)", .combining) { stand in
            stand.a.concatMapEager(maxConcurrent: 2) { $0 == 2 ? .just(0) : stand.b.take(2) }
        },
        Shape("flatMap(_:)", .combining) { stand in stand.a.flatMap { $0 == 2 ? .just(0) : stand.b.asObservable() } },
        Shape("flatMap(_:)", .combining) { stand in
            stand.a.flatMap { if $0 == 3 { throw Fault.second } else { stand.b.asObservable() } }
        },
        Shape("flatMapFirst(_:)", .combining) { stand in stand.a.flatMapFirst { _ in stand.b.take(1) } },
        Shape("flatMapLatest(_:)", .combining) { stand in stand.a.flatMapLatest { _ in stand.b } },
        Shape("merge()", .combining) { stand in stand.a.map { _ in stand.b }.merge() },
        Shape("merge(_:)", .combining) { .merge([$0.a.asObservable(), $0.b.asObservable()]) },
        Shape("merge(_:)", .combining) { .merge($0.a.asObservable(), $0.b.asObservable(), $0.c.asObservable()) },
        Shape("merge(_:)", .combining) { .merge(CollectionOfOne($0.a.asObservable())) },
        Shape("merge(maxConcurrent:)", .combining) { stand in
            stand.a.map { $0 == 2 ? .just(0) : stand.b.take(2) }.merge(maxConcurrent: 2)
        },
        Shape("mergeDelayError()", .combining) { stand in
            stand.a.map { $0 == 2 ? .error(Fault.second) : stand.b.asObservable() }.mergeDelayError()
        },
        Shape("mergeDelayError(_:)", .combining) { .mergeDelayError([$0.a.asObservable(), $0.b.asObservable()]) },
        Shape("mergeDelayError(_:)", .combining) {
            .mergeDelayError($0.a.asObservable(), .error(Fault.second), $0.c.asObservable())
        },
        Shape("startWith(_:)") { $0.a.startWith(-1, 0) },
        Shape("switchLatest()", .combining) { stand in stand.a.map { $0 == 2 ? stand.c : stand.b }.switchLatest() },
        Shape("expand(maxConcurrent:_:)", .combining) { stand in
            stand.a.expand(maxConcurrent: 2) { $0 < 4 ? Observable.merge(.just($0 + 2), stand.b.take(1)) : .empty() }
        },
    ]
}
