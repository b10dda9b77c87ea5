import FreshetCore

extension Shape {
    /// Operators that join elements of several streams.
    static let joining: [Shape] =
        [
            Shape("withLatestFrom(_:)", .combining) { $0.a.withLatestFrom($0.b) },
            Shape("withLatestFrom(_:resultSelector:)", .combining) {
                $0.a.withLatestFrom($0.b, resultSelector: { $0 + $1 })
            },
            Shape("combineLatest(_:)", .combining) { Observable.combineLatest($0.all).counted() },
            Shape("combineLatest(_:resultSelector:)", .combining) { .combineLatest($0.all) { $0.count } },
            Shape("combineLatestDelayError(_:)", .combining) {
                Observable.combineLatestDelayError($0.all).counted()
            },
            Shape("combineLatestDelayError(_:resultSelector:)", .combining) {
                .combineLatestDelayError($0.all) { $0.count }
            },
            Shape("zip(_:)", .combining) { Observable.zip($0.all).counted() },
            Shape("zip(_:resultSelector:)", .combining) { .zip($0.all) { $0.count } },
        ] + latest + latestTuples + zipped + zippedTuples

    private static let latest: [Shape] = [
        Shape("combineLatest(_:_:resultSelector:)", .combining) {
            .combineLatest($0.a, $0.b) { $0 + $1 }
        },
        Shape("combineLatest(_:_:_:resultSelector:)", .combining) {
            .combineLatest($0.a, $0.b, $0.c) { $0 + $1 + $2 }
        },
        Shape("combineLatest(_:_:_:_:resultSelector:)", .combining) {
            .combineLatest($0.a, $0.b, $0.c, $0.a) { $0 + $1 + $2 + $3 }
        },
        Shape("combineLatest(_:_:_:_:_:resultSelector:)", .combining) {
            .combineLatest($0.a, $0.b, $0.c, $0.a, $0.b) { $0 + $1 + $2 + $3 + $4 }
        },
        Shape("combineLatest(_:_:_:_:_:_:resultSelector:)", .combining) {
            .combineLatest($0.a, $0.b, $0.c, $0.a, $0.b, $0.c) { $0 + $1 + $2 + $3 + $4 + $5 }
        },
        Shape("combineLatest(_:_:_:_:_:_:_:resultSelector:)", .combining) {
            .combineLatest($0.a, $0.b, $0.c, $0.a, $0.b, $0.c, $0.a) { $0 + $1 + $2 + $3 + $4 + $5 + $6 }
        },
        Shape("combineLatest(_:_:_:_:_:_:_:_:resultSelector:)", .combining) {
            .combineLatest($0.a, $0.b, $0.c, $0.a, $0.b, $0.c, $0.a, $0.b) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }
        },
    ]

    private static let latestTuples: [Shape] = [
        Shape("combineLatest(_:_:)", .combining) {
            Observable.combineLatest($0.a, $0.b).counted()
        },
        Shape("combineLatest(_:_:_:)", .combining) {
            Observable.combineLatest($0.a, $0.b, $0.c).counted()
        },
        Shape("combineLatest(_:_:_:_:)", .combining) {
            Observable.combineLatest($0.a, $0.b, $0.c, $0.a).counted()
        },
        Shape("combineLatest(_:_:_:_:_:)", .combining) {
            Observable.combineLatest($0.a, $0.b, $0.c, $0.a, $0.b).counted()
        },
        Shape("combineLatest(_:_:_:_:_:_:)", .combining) {
            Observable.combineLatest($0.a, $0.b, $0.c, $0.a, $0.b, $0.c).counted()
        },
        Shape("combineLatest(_:_:_:_:_:_:_:)", .combining) {
            Observable.combineLatest($0.a, $0.b, $0.c, $0.a, $0.b, $0.c, $0.a).counted()
        },
        Shape("combineLatest(_:_:_:_:_:_:_:_:)", .combining) {
            Observable.combineLatest($0.a, $0.b, $0.c, $0.a, $0.b, $0.c, $0.a, $0.b).counted()
        },
    ]

    private static let zipped: [Shape] = [
        Shape("zip(_:_:resultSelector:)", .combining) {
            .zip($0.a, $0.b) { $0 + $1 }
        },
        Shape("zip(_:_:_:resultSelector:)", .combining) {
            .zip($0.a, $0.b, $0.c) { $0 + $1 + $2 }
        },
        Shape("zip(_:_:_:_:resultSelector:)", .combining) {
            .zip($0.a, $0.b, $0.c, $0.a) { $0 + $1 + $2 + $3 }
        },
        Shape("zip(_:_:_:_:_:resultSelector:)", .combining) {
            .zip($0.a, $0.b, $0.c, $0.a, $0.b) { $0 + $1 + $2 + $3 + $4 }
        },
        Shape("zip(_:_:_:_:_:_:resultSelector:)", .combining) {
            .zip($0.a, $0.b, $0.c, $0.a, $0.b, $0.c) { $0 + $1 + $2 + $3 + $4 + $5 }
        },
        Shape("zip(_:_:_:_:_:_:_:resultSelector:)", .combining) {
            .zip($0.a, $0.b, $0.c, $0.a, $0.b, $0.c, $0.a) { $0 + $1 + $2 + $3 + $4 + $5 + $6 }
        },
        Shape("zip(_:_:_:_:_:_:_:_:resultSelector:)", .combining) {
            .zip($0.a, $0.b, $0.c, $0.a, $0.b, $0.c, $0.a, $0.b) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }
        },
    ]

    private static let zippedTuples: [Shape] = [
        Shape("zip(_:_:)", .combining) {
            Observable.zip($0.a, $0.b).counted()
        },
        Shape("zip(_:_:_:)", .combining) {
            Observable.zip($0.a, $0.b, $0.c).counted()
        },
        Shape("zip(_:_:_:_:)", .combining) {
            Observable.zip($0.a, $0.b, $0.c, $0.a).counted()
        },
        Shape("zip(_:_:_:_:_:)", .combining) {
            Observable.zip($0.a, $0.b, $0.c, $0.a, $0.b).counted()
        },
        Shape("zip(_:_:_:_:_:_:)", .combining) {
            Observable.zip($0.a, $0.b, $0.c, $0.a, $0.b, $0.c).counted()
        },
        Shape("zip(_:_:_:_:_:_:_:)", .combining) {
            Observable.zip($0.a, $0.b, $0.c, $0.a, $0.b, $0.c, $0.a).counted()
        },
        Shape("zip(_:_:_:_:_:_:_:_:)", .combining) {
            Observable.zip($0.a, $0.b, $0.c, $0.a, $0.b, $0.c, $0.a, $0.b).counted()
        },
    ]
}

extension Fixture {
    fileprivate var all: [PublishSubject<Int>] { [a, b, c] }
}
