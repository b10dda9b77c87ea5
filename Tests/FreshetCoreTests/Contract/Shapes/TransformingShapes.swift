import FreshetCore

extension Shape {
    static let transforming: [Shape] = [
        Shape("map(_:)") { $0.a.map { $0 + 1 } },
        Shape("map(_:)") { $0.a.map { if $0 == 3 { throw Fault.second } else { $0 } } },
        Shape("compactMap(_:)") { $0.a.compactMap { $0 == 1 ? nil : $0 } },
        Shape("fused") { $0.a.fused.map { $0 + 1 }.filter { $0 > 1 }.compactMap { $0 }.asObservable() },
        Shape("compactMap(_:)") { $0.a.fused.compactMap { $0 == 1 ? nil : $0 }.asObservable() },
        Shape("filter(_:)") { $0.a.fused.filter { if $0 == 3 { throw Fault.second } else { true } }.asObservable() },
        Shape("enumerated()") { $0.a.enumerated().counted() },
        Shape("parallelMap(on:ordered:maxConcurrent:_:)", .combining) {
            $0.a.parallelMap(on: [$0.scheduler, ImmediateScheduler.instance]) { $0 + 1 }
        },
        Shape("parallelMap(on:ordered:maxConcurrent:_:)", .combining) {
            $0.a.parallelMap(on: [$0.scheduler, $0.scheduler], ordered: false) { $0 + 1 }
        },
        Shape("reduce(_:accumulator:)") { $0.a.reduce(0, accumulator: +) },
        Shape("reduce(_:accumulator:mapResult:)") { $0.a.reduce(0, accumulator: +, mapResult: { $0 }) },
        Shape("scan(_:accumulator:)") { $0.a.scan(0, accumulator: +) },
        Shape("scan(into:accumulator:)") { $0.a.scan(into: 0, accumulator: { $0 += $1 }) },
        Shape("switchScan(_:accumulator:)", .combining) { fixture in
            fixture.a.switchScan(0) { state, element in fixture.b.map { $0 + state + element } }
        },
        Shape("mergeScan(_:maxConcurrent:accumulator:)", .combining) { fixture in
            fixture.a.mergeScan(0, maxConcurrent: 2) { $1 == 2 ? .just($0) : fixture.b.take(2) }
        },
        Shape("toArray()") { $0.a.toArray().asObservable().counted() },
        Shape("pairwise()") { $0.a.pairwise().counted() },
        Shape("groupBy(keySelector:)", .combining) { fixture in
            fixture.a.groupBy { $0 % 2 }.flatMap { $0.startWith(0) }
        },
        Shape("groupBy(keySelector:)") { $0.a.groupBy { if $0 == 3 { throw Fault.second } else { $0 } }.counted() },
        Shape("buffer(boundary:)", .combining) { $0.a.buffer(boundary: $0.b).counted() },
        Shape("buffer(closingSelector:)", .combining) { fixture in fixture.a.buffer { fixture.b.take(1) }.counted() },
        Shape("bufferToggle(_:closingSelector:)", .combining) { fixture in
            fixture.a.bufferToggle(fixture.b, closingSelector: { _ in fixture.c }).counted()
        },
        Shape("window(boundary:)", .combining) { $0.a.window(boundary: $0.b).flatMap { $0.startWith(0) } },
        Shape("window(closingSelector:)", .combining) { fixture in
            fixture.a.window { fixture.b.take(1).concat(Observable.never()) }.flatMap { $0.startWith(0) }
        },
        Shape("windowToggle(_:closingSelector:)", .combining) { fixture in
            fixture.a.windowToggle(fixture.b, closingSelector: { _ in fixture.c }).flatMap { $0.startWith(0) }
        },
    ]
}
