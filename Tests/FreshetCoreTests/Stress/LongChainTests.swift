import FreshetCore
import FreshetTesting
import XCTest

/// Tests a long chain of operators on a small stack: it is released before a subscription, and disposed of while it runs.
/// Releasing a long list overflowed the stack in ReactiveCocoa #238.
final class LongChainTests: CoreTestCase {
    private typealias Step = @Sendable (Observable<Int>) -> Observable<Int>

    private func expectRelease(_ length: Int, _ step: @escaping @Sendable (Int, Observable<Int>) -> Observable<Int>) {
        onASmallStack {
            var chain: Observable<Int>? = .never()
            for number in 0..<length { chain = chain.map { step(number, $0) } }
            chain = nil
        }
    }

    private func expectDisposal(_ length: Int, _ step: @escaping @Sendable (Int, Observable<Int>) -> Observable<Int>) {
        onASmallStack {
            let subject = PublishSubject<Int>()
            var chain: Observable<Int>? = subject
            for number in 0..<length { chain = chain.map { step(number, $0) } }
            let subscription = chain?.subscribe()
            chain = nil
            XCTAssertTrue(subject.hasObservers)
            (subscription as? any Pausable)?.pause()
            (subscription as? any Pausable)?.resume()
            subscription?.dispose()
            XCTAssertFalse(subject.hasObservers)
        }
    }

    private static let scheduler = TestScheduler(initialClock: 0)

    /// Operators with one source, or with one source after the other.
    private static let linear: [Step] = [
        { $0.map { $0 } }, { $0.compactMap { $0 } }, { $0.filter { _ in true } }, { $0.scan(0, accumulator: +) },
        { $0.enumerated().map(\.element) }, { $0.reduce(0, accumulator: +) },
        { $0.toArray().asObservable().map(\.count) }, { $0.pairwise().map { $0.1 } }, { $0.take(9) },
        { $0.takeLast(9) }, { $0.skip(9) }, { $0.skip(while: { _ in true }) }, { $0.take(while: { _ in true }) },
        { $0.distinctUntilChanged() }, { $0.ifEmpty(default: 1) }, { $0.ifEmpty(switchTo: .just(1)) }, { $0.single() },
        { $0.element(at: 3) }, { $0.asSingle().asObservable() }, { $0.materialize().dematerialize() },
        { $0.do(onNext: { _ in }, onDispose: {}) }, { $0.mapError { $0 } },
        { $0.marble(.seconds(1), scheduler: scheduler, report: { _ in }) },
        { $0.withUnretained(scheduler).map { $1 } }, { $0.observe(on: CurrentThreadScheduler.instance) },
        { $0.startWith() }, { $0.concat(Observable.just(1)) }, { Observable<Int>.empty().concat($0) },
        { .concatDelayError($0, .just(1)) },
        { Observable<Int>.empty().ifEmpty(switchTo: $0) }, { .catch(sequence: [$0, .just(1)]) },
        { .catch(sequence: [.error(Fault.first), $0]) },
        { Completable.concat([.empty(), $0.ignoreElements().asCompletable()]).andThen(Observable.just(1)) },
        { Infallible.concat([.empty(), $0.asInfallible(onErrorJustReturn: 1)]).asObservable() },
        { $0.catchAndReturn(1) }, { $0.retry() }, { $0.retry(2) },
        { $0.retry(.immediate(maxAttempts: 2), scheduler: scheduler) }, { $0.flatMap { Observable.just($0) } },
        { $0.flatMapLatest { Observable.just($0) } }, { $0.flatMapFirst { Observable.just($0) } },
        { $0.concatMap { Observable.just($0) } }, { $0.concatMapEager(maxConcurrent: 2) { Observable.just($0) } },
        { $0.expand { _ in Observable.empty() } }, { $0.groupBy { $0 }.flatMap { $0 } },
        { $0.delay(.seconds(1), scheduler: scheduler) }, { $0.debounce(.seconds(1), scheduler: scheduler) },
        { $0.throttle(.seconds(1), scheduler: scheduler) }, { $0.timeout(.seconds(1), scheduler: scheduler) },
        { $0.take(for: .seconds(1), scheduler: scheduler) }, { $0.skip(.seconds(1), scheduler: scheduler) },
        { $0.buffer(timeSpan: .seconds(1), count: 2, scheduler: scheduler).map(\.count) },
        { $0.window(timeSpan: .seconds(1), count: 2, scheduler: scheduler).flatMap { $0 } },
        { $0.audit(.seconds(1), scheduler: scheduler) }, { $0.sample(.seconds(1), scheduler: scheduler) },
        { $0.switchScan(0) { _, number in Observable.just(number) } },
        { $0.mergeScan(0) { _, number in Observable.just(number) } },
        { $0.distinct() },
        { $0.timestamp(scheduler: scheduler).map(\.element) }, { $0.onOverflow(.latest) },
    ]

    /// Operators that subscribe to more than one source. A running chain of them nests as deep as it is long.
    private static let combining: [Step] = [
        { .merge($0, .never()) }, { $0.amb(Observable.never()) }, { $0.withLatestFrom(Observable.just(1)) },
        { .mergeDelayError($0, .never()) }, { .combineLatestDelayError([$0, .just(1)]) { $0[0] } },
        { $0.sample(Observable<Int>.never()) }, { $0.audit { _ in Observable<Int>.never() } },
        { $0.buffer(boundary: Observable<Int>.never()).map(\.count) },
        { $0.window(boundary: Observable<Int>.never()).flatMap { $0 } }, { $0.take(until: Observable<Int>.never()) },
        { $0.skip(until: Observable<Int>.never()) }, { $0.retry(when: { (errors: Observable<any Error>) in errors }) },
        { $0.subscribe(on: CurrentThreadScheduler.instance) },
    ]

    func testRule9AChainOfAHundredThousandOperatorsIsReleasedWithoutASubscription() {
        let steps = Self.linear + Self.combining
        expectRelease(100_000) { steps[$0 % steps.count]($1) }
    }

    func testRule9ARunningChainOfAHundredThousandOperatorsIsDisposedOf() {
        let steps = Self.linear
        expectDisposal(100_000) { steps[$0 % steps.count]($1) }
    }

    func testRule9ALongChainOfEachOperatorIsReleasedAndDisposedOf() {
        for step in Self.linear + Self.combining { expectRelease(4000) { step($1) } }
        for step in Self.linear { expectDisposal(4000) { step($1) } }
    }

    func testRule9ALongChainOfStartWithOrConcatEmitsInOrder() {
        onASmallStack {
            var chain = Observable.just(0)
            for number in 1..<20_000 { chain = chain.startWith(number) }
            XCTAssertEqual(chain.record().elements, Array((0..<20_000).reversed()))
        }
        onASmallStack {
            var chain = Observable.just(0)
            for number in 1..<20_000 { chain = chain.concat(Observable.just(number)) }
            XCTAssertEqual(chain.record().elements, Array(0..<20_000))
        }
    }

    /// When the subscribing call returns, the chain has subscribed to its sources, however long it is.
    func testRule9ALongChainSubscribesToItsSourcesWithinTheSubscribingCall() {
        @Sendable func long(_ source: Observable<Int>) -> Observable<Int> {
            (0..<200).reduce(source) { chain, _ in chain.map { $0 } }
        }
        let input = ControlledSource<Int>()
        let chain = long(input.stream)
        let outer = PublishSubject<Int>()
        let switched = outer.flatMapLatest { _ in chain }.subscribe()
        outer.onNext(1)
        outer.onNext(2)
        XCTAssertEqual([input.subscriptions, input.observers], [2, 1])
        switched.dispose()
        XCTAssertEqual(input.observers, 0)

        let log = Log<String>()
        let recorded = long(
            .deferred {
                log.append("source"); return input.stream
            })
        let sampler = Observable<Int>.deferred {
            log.append("sampler"); return .just(0)
        }
        recorded.sample(sampler).subscribe().dispose()
        recorded.do(onSubscribed: { log.append("subscribed") }).subscribe().dispose()
        XCTAssertEqual(log.all, ["source", "sampler", "source", "subscribed"])

        let shared = Observable.just(7).multicast({ PublishSubject<Int>() }) { long($0) }
        XCTAssertEqual(shared.record().events, [.next(7), .completed])
        XCTAssertEqual(Observable.zip(long(.of(1, 2)), long(.of(3, 4))) { $0 + $1 }.record().elements, [4, 6])
        XCTAssertEqual(long(long(.of(1)).concat(long(.of(2)))).startWith(0).record().elements, [0, 1, 2])
    }

    func testRule9ALongChainOfAndThenRunsOneStepAfterTheOther() {
        let rest: [@Sendable (Completable) -> Completable] = [
            { $0.andThen(Completable.empty()) }, { Completable.empty().andThen($0) }, { $0.concat(.empty()) },
        ]
        for step in rest {
            onASmallStack {
                var chain: Completable? = .empty()
                for _ in 0..<20_000 { chain = chain.map(step) }
                let recorder = chain?.asObservable().record()
                chain = nil
                XCTAssertEqual(recorder?.hasCompleted, true)
            }
        }
    }
}
