import FreshetCore
import FreshetTesting
import XCTest

final class InfallibleOperatorTests: CoreTestCase {
    private let numbers = Infallible.of(1, 2, 3, 4)

    func testElementsAreTransformed() {
        XCTAssertEqual(numbers.map { $0 * 10 }.record().elements, [10, 20, 30, 40])
        XCTAssertEqual(numbers.compactMap { $0 > 2 ? "\($0)" : nil }.record().elements, ["3", "4"])
        XCTAssertEqual(numbers.scan(0) { $0 + $1 }.record().elements, [1, 3, 6, 10])
        XCTAssertEqual(numbers.scan(into: []) { $0.append($1) }.record().elements.last, [1, 2, 3, 4])
        XCTAssertEqual(numbers.filter { $0 % 2 == 0 }.record().events, [.next(2), .next(4), .completed])
    }

    func testInnerStreamsAreFlattened() {
        let sources = (0..<3).map { _ in ControlledSource<Int>() }
        func run(_ flattened: (Infallible<Int>) -> Infallible<Int>) -> [Int] {
            let outer = PublishRelay<Int>()
            let recorder = Recorder<Int>()
            let subscription = flattened(outer.asInfallible()).asObservable().subscribe(recorder)
            outer.accept(0)
            outer.accept(1)
            sources[0].send(1)
            sources[1].send(2)
            sources[0].complete()
            sources[1].send(3)
            subscription.dispose()
            return recorder.elements
        }
        let inner: @Sendable (Int) -> Infallible<Int> = { sources[$0].stream.asInfallible(onErrorJustReturn: -1) }
        XCTAssertEqual(run { $0.flatMap(inner) }, [1, 2, 3])
        XCTAssertEqual(run { $0.flatMapLatest(inner) }, [2, 3])
        XCTAssertEqual(run { $0.flatMapFirst(inner) }, [1])
        XCTAssertEqual(run { $0.concatMap(inner) }, [1, 3])
        XCTAssertEqual(numbers.concatMap { Infallible.of($0, $0) }.record().elements, [1, 1, 2, 2, 3, 3, 4, 4])
    }

    func testAStreamOfStreamsIsFlattened() {
        let streams = Infallible.of(Infallible.of(1, 2), .of(3))
        XCTAssertEqual(streams.switchLatest().record().events, [1, 3].map { .next($0) } + [.completed])
        XCTAssertEqual(streams.merge().record().elements, [1, 2, 3])
        XCTAssertEqual(streams.merge(maxConcurrent: 2).record().elements, [1, 2, 3])
        XCTAssertEqual(streams.concat().record().elements, [1, 2, 3])
    }

    func testAnObservableOfInfalliblesCanBeInfallible() {
        let source = Observable.of(1, 2)
        let infallible: Infallible<Int> = source.flatMapLatest { Infallible.just($0 + 1) }
        XCTAssertEqual(infallible.record().events, [.next(2), .next(3), .completed])
        let observable = source.flatMapLatest { Infallible.just($0) }
        XCTAssertEqual(observable.record().elements, [1, 2])
        func typed() -> Infallible<String> { source.flatMapLatest { Infallible.just($0) }.map { "\($0)" } }
        XCTAssertEqual(typed().record().elements, ["1", "2"])
    }

    /// With two overloads of the same rank the compiler gives up at five stages.
    func testAChainOfInnerStreamsCompilesWithoutTypes() {
        let chain = Observable.just(1)
            .flatMapLatest { Observable.just($0 + 1) }
            .flatMapLatest { Observable.just($0 + 1) }
            .flatMapLatest { Observable.just($0 + 1) }
            .flatMapLatest { Observable.just($0 + 1) }
            .flatMapLatest { Observable.just($0 + 1) }
            .flatMapLatest { Infallible.just($0 + 1) }
            .flatMapLatest { Observable.just($0 + 1) }
            .flatMapLatest { Observable.just($0 + 1) }
        XCTAssertEqual(chain.record().elements, [9])
    }

    func testDistinctUntilChangedDropsRepetitionsInAllItsOverloads() {
        struct Pair: Sendable { let key: Int, other: Int }
        let repeated = Infallible.of(1, 1, 2, 2, 1)
        XCTAssertEqual(repeated.distinctUntilChanged().record().elements, [1, 2, 1])
        XCTAssertEqual(numbers.distinctUntilChanged { $0 / 2 }.record().elements, [1, 2, 4])
        XCTAssertEqual(numbers.distinctUntilChanged { $1 - $0 < 2 }.record().elements, [1, 3])
        XCTAssertEqual(numbers.distinctUntilChanged({ $0 / 2 }, comparer: { $0 == $1 }).record().elements, [1, 2, 4])
        let pairs = Infallible.of(Pair(key: 1, other: 1), Pair(key: 1, other: 2), Pair(key: 2, other: 3))
        XCTAssertEqual(pairs.distinctUntilChanged(at: \.key).map(\.other).record().elements, [1, 3])
    }

    func testTakeAndSkipSplitTheStream() {
        XCTAssertEqual(numbers.take(2).record().events, [.next(1), .next(2), .completed])
        XCTAssertEqual(numbers.takeLast(2).record().elements, [3, 4])
        XCTAssertEqual(numbers.take(while: { $0 < 3 }).record().elements, [1, 2])
        XCTAssertEqual(numbers.take(while: { $0 < 3 }, behavior: .inclusive).record().elements, [1, 2, 3])
        XCTAssertEqual(numbers.take(until: { $0 == 2 }).record().elements, [1])
        XCTAssertEqual(numbers.take(until: { $0 == 2 }, behavior: .inclusive).record().elements, [1, 2])
        XCTAssertEqual(numbers.skip(3).record().elements, [4])
        XCTAssertEqual(numbers.skip(while: { $0 < 3 }).record().elements, [3, 4])
    }

    func testSkipUntilAndTakeUntilFollowAnotherStream() {
        let source = PublishRelay<Int>()
        let start = PublishRelay<Void>()
        let stop = PublishRelay<Void>()
        let recorder = Recorder<Int>()
        let subscription = source.asInfallible().skip(until: start).take(until: stop.asInfallible()).take(until: stop)
            .asObservable().subscribe(recorder)
        source.accept(1)
        start.accept(())
        source.accept(2)
        stop.accept(())
        source.accept(3)
        XCTAssertEqual(recorder.events, [.next(2), .completed])
        subscription.dispose()
    }

    func testStreamsAreMergedConcatenatedAndCombined() {
        XCTAssertEqual(Infallible.merge(.just(1), .just(2)).record().events, [.next(1), .next(2), .completed])
        XCTAssertEqual(Infallible.merge([.just(1), .just(2)]).record().elements, [1, 2])
        XCTAssertEqual(Infallible.merge(Set([1]).map { Infallible.just($0) }).record().elements, [1])
        XCTAssertEqual(Infallible.merge([numbers, numbers][...]).record().elements, [1, 1, 2, 2, 3, 3, 4, 4])
        XCTAssertEqual(Infallible.concat(.just(1), .just(2)).record().elements, [1, 2])
        XCTAssertEqual(Infallible.concat([.just(1), .just(2)]).record().elements, [1, 2])
        XCTAssertEqual(Infallible.concat((1...3).lazy.map { .just($0) }).record().elements, [1, 2, 3])
        XCTAssertEqual(Infallible.just(1).concat(Infallible.just(2)).record().elements, [1, 2])
        XCTAssertEqual(Infallible.just(1).concat(Single.just(3)).record().elements, [1, 3])
        XCTAssertEqual(numbers.startWith(0).record().elements, [0, 1, 2, 3, 4])
        XCTAssertEqual(numbers.withLatestFrom(Infallible.just("x")).record().elements, ["x", "x", "x", "x"])
        XCTAssertEqual(numbers.withLatestFrom(Infallible.just(2)) { $0 * $1 }.record().elements, [2, 4, 6, 8])
        XCTAssertEqual(Infallible.never().amb(numbers).record().elements, [1, 2, 3, 4])
        XCTAssertEqual(Infallible.amb([.never(), numbers]).record().elements, [1, 2, 3, 4])
    }

    func testConcatReadsTheNextStreamOnlyAtItsTurn() {
        let calls = Log<Int>()
        let streams = (1...3).lazy.map { number -> Infallible<Int> in
            calls.append(number)
            return .just(number)
        }
        XCTAssertEqual(Infallible.concat(streams).take(1).record().elements, [1])
        XCTAssertEqual(calls.all, [1])
    }

    func testOperatorsOfTimeUseTheScheduler() {
        func run(_ operate: @escaping (Infallible<Int>, TestScheduler) -> Infallible<Int>) -> [Recorded<Event<Int>>] {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.createHotObservable([
                .next(210, 1), .next(215, 2), .next(240, 3), .next(300, 4), .completed(305),
            ])
            return scheduler.start { operate(source.asInfallible(onErrorJustReturn: -1), scheduler) }.events
        }
        XCTAssertEqual(
            run { $0.debounce(.seconds(20), scheduler: $1) },
            [.next(235, 2), .next(260, 3), .next(305, 4), .completed(305)])
        XCTAssertEqual(
            run { $0.throttle(.seconds(20), latest: false, scheduler: $1) },
            [.next(210, 1), .next(240, 3), .next(300, 4), .completed(305)])
        XCTAssertEqual(
            run { $0.throttle(.seconds(20), scheduler: $1) },
            [.next(210, 1), .next(230, 2), .next(250, 3), .next(300, 4), .completed(305)])
        XCTAssertEqual(
            run { $0.delay(.seconds(100), scheduler: $1) },
            [.next(310, 1), .next(315, 2), .next(340, 3), .next(400, 4), .completed(405)])
        XCTAssertEqual(
            run { $0.delaySubscription(.seconds(30), scheduler: $1) }, [.next(240, 3), .next(300, 4), .completed(305)])
        XCTAssertEqual(
            run { $0.take(for: .seconds(30), scheduler: $1) }, [.next(210, 1), .next(215, 2), .completed(230)])
        XCTAssertEqual(
            run { $0.skip(.seconds(30), scheduler: $1) }, [.next(240, 3), .next(300, 4), .completed(305)])
        XCTAssertEqual(
            run { $0.skip(3).observe(on: $1) }, [.next(301, 4), .completed(306)])
        XCTAssertEqual(
            run { $0.skip(3).observe(on: $1, buffering: 1...2) }, [.next(301, 4), .completed(306)])
        XCTAssertEqual(
            run { $0.skip(2).subscribe(on: $1) }, [.next(240, 3), .next(300, 4), .completed(305)])
    }

    func testDoCallsItsClosuresInOrder() {
        let log = Log<String>()
        let stream = Infallible.just(1).do(
            onNext: { log.append("next \($0)") }, afterNext: { log.append("after \($0)") },
            onCompleted: { log.append("end") }, afterCompleted: { log.append("after end") },
            onSubscribe: { log.append("subscribe") }, onSubscribed: { log.append("subscribed") },
            onDispose: { log.append("dispose") })
        XCTAssertEqual(stream.record().events, [.next(1), .completed])
        XCTAssertEqual(
            log.all, ["subscribe", "next 1", "after 1", "end", "after end", "subscribed", "dispose"])
    }

    func testShareKeepsOneSubscription() {
        let source = ControlledSource<Int>()
        let shared = source.stream.asInfallible(onErrorJustReturn: 0).share(replay: 1)
        let first = Recorder<Int>()
        let second = Recorder<Int>()
        let one = shared.asObservable().subscribe(first)
        source.send(1)
        let other = shared.asObservable().subscribe(second)
        source.send(2)
        XCTAssertEqual(source.subscriptions, 1)
        XCTAssertEqual([first.elements, second.elements], [[1, 2], [1, 2]])
        one.dispose()
        other.dispose()
        XCTAssertEqual(source.observers, 0)
    }

    func testWithUnretainedCompletesWhenItsObjectIsReleased() {
        let source = PublishRelay<Int>()
        let recorder = Recorder<String>()
        var object: Log<Int>? = Log()
        let subscription = source.asInfallible().withUnretained(object!).map { "\($0.all.count) \($1)" }
            .asObservable().subscribe(recorder)
        source.accept(1)
        object = nil
        source.accept(2)
        XCTAssertEqual(recorder.events, [.next("0 1"), .completed])
        subscription.dispose()
        let kept = Log<Int>()
        XCTAssertEqual(numbers.withUnretained(kept) { $0.all.count + $1 }.record().elements, [1, 2, 3, 4])
    }
}
