import FreshetCore

extension Shape {
    /// Operators for streams of streams, and for streams one after the other.
    static let merging: [Shape] = [
        Shape("amb(_:)", .combining) { $0.a.amb($0.b) },
        Shape("amb(_:)", .combining) { .amb([$0.c.asObservable(), $0.b.asObservable(), $0.a.asObservable()]) },
        Shape("concat(_:)", .combining) { $0.a.take(2).concat($0.b) },
        Shape("concat(_:)", .combining) { .concat([$0.a.take(1), $0.b.take(1), $0.c.asObservable()].lazy.map { $0 }) },
        Shape("concat(_:)", .combining) { .concat($0.a.take(1), .just(0), $0.b.take(1), $0.c.asObservable()) },
        Shape("concat()", .combining) { fixture in fixture.a.map { $0 == 2 ? .just(0) : fixture.b.take(1) }.concat() },
        Shape("concatDelayError()", .combining) { fixture in
            fixture.a.map { $0 == 2 ? .error(Fault.second) : fixture.b.take(1) }.concatDelayError()
        },
        Shape("concatDelayError(_:)", .combining) { .concatDelayError([$0.a.take(1), $0.b.asObservable()]) },
        Shape("concatDelayError(_:)", .combining) {
            .concatDelayError($0.a.take(1), .error(Fault.first), $0.b.take(1))
        },
        Shape("concatMap(_:)", .combining) { fixture in fixture.a.concatMap { _ in fixture.b.take(1) } },
        Shape("concatMapEager(maxConcurrent:_:)", .combining) { fixture in
            fixture.a.concatMapEager(maxConcurrent: 2) { $0 == 2 ? .just(0) : fixture.b.take(2) }
        },
        Shape("flatMap(_:)", .combining) { fixture in
            fixture.a.flatMap { $0 == 2 ? .just(0) : fixture.b.asObservable() }
        },
        Shape("flatMap(_:)", .combining) { fixture in
            fixture.a.flatMap { if $0 == 3 { throw Fault.second } else { fixture.b.asObservable() } }
        },
        Shape("flatMapFirst(_:)", .combining) { fixture in fixture.a.flatMapFirst { _ in fixture.b.take(1) } },
        Shape("flatMapLatest(_:)", .combining) { fixture in fixture.a.flatMapLatest { _ in fixture.b } },
        Shape("merge()", .combining) { fixture in fixture.a.map { _ in fixture.b }.merge() },
        Shape("merge(_:)", .combining) { .merge([$0.a.asObservable(), $0.b.asObservable()]) },
        Shape("merge(_:)", .combining) { .merge($0.a.asObservable(), $0.b.asObservable(), $0.c.asObservable()) },
        Shape("merge(_:)", .combining) { .merge(CollectionOfOne($0.a.asObservable())) },
        Shape("merge(maxConcurrent:)", .combining) { fixture in
            fixture.a.map { $0 == 2 ? .just(0) : fixture.b.take(2) }.merge(maxConcurrent: 2)
        },
        Shape("mergeDelayError()", .combining) { fixture in
            fixture.a.map { $0 == 2 ? .error(Fault.second) : fixture.b.asObservable() }.mergeDelayError()
        },
        Shape("mergeDelayError(_:)", .combining) { .mergeDelayError([$0.a.asObservable(), $0.b.asObservable()]) },
        Shape("mergeDelayError(_:)", .combining) {
            .mergeDelayError($0.a.asObservable(), .error(Fault.second), $0.c.asObservable())
        },
        Shape("startWith(_:)") { $0.a.startWith(-1, 0) },
        Shape("switchLatest()", .combining) { fixture in
            fixture.a.map { $0 == 2 ? fixture.c : fixture.b }.switchLatest()
        },
        Shape("expand(maxConcurrent:_:)", .combining) { fixture in
            fixture.a.expand(maxConcurrent: 2) {
                $0 < 4 ? Observable.merge(.just($0 + 2), fixture.b.take(1)) : .empty()
            }
        },
    ]
}
