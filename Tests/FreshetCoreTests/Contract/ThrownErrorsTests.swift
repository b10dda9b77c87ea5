import FreshetCore
import FreshetTesting
import XCTest

/// Tests every closure that an operator calls with a closure that throws.
final class ThrownErrorsTests: CoreTestCase {
    private struct Throwing: Sendable {
        let name: String
        let make: @Sendable (Observable<Int>, Observable<Int>) -> Observable<Int>

        init(_ name: String, _ make: @escaping @Sendable (Observable<Int>, Observable<Int>) -> Observable<Int>) {
            self.name = name
            self.make = make
        }
    }

    private static func fail<Result>() throws -> Result { throw Fault.second }

    private let transforming: [Throwing] = [
        Throwing("map") { a, _ in a.map { _ in try fail() } },
        Throwing("compactMap") { a, _ in a.compactMap { _ in try fail() } },
        Throwing("filter") { a, _ in a.filter { _ in try fail() } },
        Throwing("scan") { a, _ in a.scan(0) { _, _ in try fail() } },
        Throwing("scan(into:)") { a, _ in a.scan(into: 0) { _, _ in try fail() } },
        Throwing("reduce") { a, _ in a.reduce(0) { _, _ in try fail() } },
        Throwing("reduce(mapResult:)") { a, _ in a.take(1).reduce(0, accumulator: +, mapResult: { _ in try fail() }) },
        Throwing("groupBy") { a, _ in a.groupBy { _ -> Int in try fail() }.counted() },
        Throwing("single") { a, _ in a.single { _ in try fail() } },
        Throwing("skip(while:)") { a, _ in a.skip(while: { _ in try fail() }) },
        Throwing("take(while:)") { a, _ in a.take(while: { _ in try fail() }) },
        Throwing("take(until:)") { a, _ in a.take(until: { _ in try fail() }) },
        Throwing("distinct(by:)") { a, _ in a.distinct { _ -> Int in try fail() } },
        Throwing("distinctUntilChanged") { a, _ in a.distinctUntilChanged { _ -> Int in try fail() } },
        Throwing("distinctUntilChanged(comparer:)") { a, _ in
            a.startWith(0).distinctUntilChanged { _, _ in try fail() }.skip(1)
        },
        Throwing("partition") { a, _ in a.partition { _ in try fail() }.matches },
        Throwing("do(onNext:)") { a, _ in a.do(onNext: { _ in try fail() }) },
        Throwing("do(afterNext:)") { a, _ in a.do(afterNext: { _ in try fail() }).ignoreElements().counted() },
        Throwing("do(onCompleted:)") { a, _ in a.take(1).do(onCompleted: { try fail() }).ignoreElements().counted() },
    ]

    private let combining: [Throwing] = [
        Throwing("flatMap") { a, b in a.flatMap { _ in try fail() as Observable<Int> } },
        Throwing("flatMapLatest") { a, b in a.flatMapLatest { _ in try fail() as Observable<Int> } },
        Throwing("flatMapFirst") { a, b in a.flatMapFirst { _ in try fail() as Observable<Int> } },
        Throwing("concatMap") { a, b in a.concatMap { _ in try fail() as Observable<Int> } },
        Throwing("concatMapEager") { a, b in a.concatMapEager(maxConcurrent: 2) { _ in try fail() as Observable<Int> }
        },
        Throwing("expand") { a, b in a.expand { _ in try fail() as Observable<Int> }.skip(1) },
        Throwing("combineLatest") { a, b in .combineLatest(a, b.startWith(0)) { _, _ in try fail() } },
        Throwing("combineLatest of many") { a, b in .combineLatest([a, b.startWith(0)]) { _ in try fail() } },
        Throwing("combineLatestDelayError") { a, b in
            .combineLatestDelayError([a, b.startWith(0)]) { _ in try fail() }
        },
        Throwing("switchScan") { a, b in a.switchScan(0) { _, _ in try fail() as Observable<Int> } },
        Throwing("mergeScan") { a, b in a.mergeScan(0) { _, _ in try fail() as Observable<Int> } },
        Throwing("parallelMap") { a, _ in a.parallelMap(on: [ImmediateScheduler.instance]) { _ in try fail() } },
        Throwing("zip") { a, b in .zip(a, b.startWith(0)) { _, _ in try fail() } },
        Throwing("zip of many") { a, b in .zip([a, b.startWith(0)]) { _ in try fail() } },
        Throwing("withLatestFrom") { a, b in a.withLatestFrom(b.startWith(0)) { _, _ in try fail() } },
        Throwing("audit") { a, _ in a.audit { _ in try fail() as Observable<Int> } },
        Throwing("buffer(closingSelector:)") { a, b in
            let count = Counter()
            return a.buffer { count.increment() == 1 ? a : try fail() }.skip(1).counted()
        },
        Throwing("window(closingSelector:)") { a, b in
            let count = Counter()
            return a.window { count.increment() == 1 ? a : try fail() }.skip(2).counted()
        },
        Throwing("bufferToggle") { a, b in
            a.bufferToggle(a, closingSelector: { _ in try fail() as Observable<Int> }).counted()
        },
        Throwing("windowToggle") { a, b in
            a.windowToggle(a, closingSelector: { _ in try fail() as Observable<Int> }).counted().ignoreElements()
                .counted()
        },
        Throwing("catch") { a, b in a.map { _ in throw Fault.first }.catch { _ in try fail() } },
        Throwing("mapError") { a, b in a.map { _ in throw Fault.first }.mapError { _ in try fail() } },
        Throwing("retry(shouldRetry:)") { a, b in
            let scheduler = TestScheduler(initialClock: 0)
            return a.map { _ in throw Fault.first }
                .retry(.immediate(maxAttempts: 3), scheduler: scheduler, shouldRetry: { _ in try fail() })
        },
        Throwing("do(onError:)") { a, b in a.map { _ in throw Fault.first }.do(onError: { _ in try fail() }) },
    ]

    func testRule6AnErrorThrownByAClosureFailsTheStreamAndDisposesOfItsSources() {
        for throwing in transforming + combining {
            let a = ControlledSource<Int>(), b = ControlledSource<Int>()
            let recorder = Recorder<Int>()
            let subscription = throwing.make(a.stream, b.stream).subscribe(recorder)
            XCTAssertGreaterThan(a.observers, 0, throwing.name)
            a.send(1)
            XCTAssertEqual(recorder.events, [.error(Fault.second)], throwing.name)
            XCTAssertEqual([a.observers, b.observers], [0, 0], throwing.name)
            a.send(2)
            a.complete()
            XCTAssertEqual(recorder.events.count, 1, throwing.name)
            subscription.dispose()
        }
    }

    func testRule6AnErrorThrownByAFactoryFailsTheStream() {
        let generated = Observable.generate(initialState: 0, condition: { _ in try Self.fail() }, iterate: { $0 })
        let iterated = Observable.generate(initialState: 0, condition: { _ in true }, iterate: { _ in try Self.fail() })
        for stream in [
            .deferred { try Self.fail() }, generated, iterated.skip(1),
            .using({ try Self.fail() as BooleanDisposable }, observableFactory: { _ in .just(1) }),
            .using({ BooleanDisposable() }, observableFactory: { _ in try Self.fail() }),
            Observable.just(1).multicast({ try Self.fail() as PublishSubject<Int> }, selector: { $0 }),
            Observable.just(1).multicast({ PublishSubject<Int>() }, selector: { _ in try Self.fail() }),
        ] as [Observable<Int>] {
            XCTAssertEqual(stream.record().events, [.error(Fault.second)])
        }
    }
}
