import FreshetCore

extension Shape {
    static let filtering: [Shape] = [
        Shape("distinct(limit:)") { $0.a.distinct() },
        Shape("distinct(by:limit:)") { $0.a.distinct(by: { $0 / 2 }, limit: 1) },
        Shape("distinctUntilChanged()") { $0.a.distinctUntilChanged() },
        Shape("distinctUntilChanged(_:)") { $0.a.distinctUntilChanged { $0 / 2 } },
        Shape("distinctUntilChanged(_:)") { $0.a.distinctUntilChanged { $0 == $1 } },
        Shape("distinctUntilChanged(_:comparer:)") { $0.a.distinctUntilChanged({ $0 }, comparer: { $0 == $1 }) },
        Shape("distinctUntilChanged(_:comparer:)") {
            $0.a.distinctUntilChanged({ ($0, $0) }, comparer: { $0.0 == $1.0 })
        },
        Shape("distinctUntilChanged(at:)") { $0.a.distinctUntilChanged(at: \.description) },
        Shape("element(at:)") { $0.a.element(at: 1) },
        Shape("first()") { $0.a.first().asObservable().counted() },
        Shape("ignoreElements()", isSilent: true) {
            $0.a.ignoreElements().materialize().filter { _ in false }.counted()
        },
        Shape("asCompletable()", isSilent: true) {
            $0.a.ignoreElements().asCompletable().asObservable().materialize().filter { _ in false }.counted()
        },
        Shape("asMaybe()") { $0.a.take(1).asMaybe().asObservable() },
        Shape("asMaybe()", isSilent: true) { $0.a.asMaybe().asObservable() },
        Shape("asSingle()") { $0.a.take(1).asSingle().asObservable() },
        Shape("asSingle()", isSilent: true) { $0.a.asSingle().asObservable() },
        Shape("single()") { $0.a.single() },
        Shape("single(_:)") { $0.a.single { $0 == 3 } },
        Shape("filter(_:)") { $0.a.filter { $0 != 2 } },
        Shape("ifEmpty(default:)") { $0.a.filter { _ in false }.ifEmpty(default: 7) },
        Shape("ifEmpty(switchTo:)", .combining) { fixture in
            fixture.a.filter { _ in false }.ifEmpty(switchTo: fixture.b.startWith(7))
        },
        Shape("skip(_:)") { $0.a.skip(1) },
        Shape("skip(while:)") { $0.a.skip(while: { $0 < 2 }) },
        Shape("skip(until:)", .combining) { $0.a.skip(until: $0.b) },
        Shape("take(_:)") { $0.a.take(2) },
        Shape("takeLast(_:)") { $0.a.takeLast(2) },
        Shape("take(until:)", .combining) { $0.a.take(until: $0.c.skip(1)) },
        Shape("take(until:behavior:)") { $0.a.take(until: { $0 == 2 }, behavior: .inclusive) },
        Shape("take(while:behavior:)") { $0.a.take(while: { $0 < 2 }) },
        Shape("partition(_:)", .combining) { fixture in
            let (odd, even) = fixture.a.partition { $0 % 2 == 1 }
            return .merge(odd, even)
        },
    ]
}
