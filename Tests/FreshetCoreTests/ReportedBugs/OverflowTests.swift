import FreshetCore
import FreshetTesting
import XCTest

/// Repeats stack overflows of other libraries.
final class OverflowTests: CoreTestCase {
    /// RxSwift #2615: in a queue of `concatMap` some streams end at once and some later.
    func testRule9ConcatMapOfSynchronousAndDelayedStreamsKeepsTheStackFlat() {
        onASmallStack {
            let scheduler = TestScheduler(initialClock: 0)
            let input = PublishSubject<Int>()
            let recorder = Recorder<Int>()
            let stream = input.concatMap { number in
                number % 97 == 0
                    ? Observable.just(number).delay(.seconds(1), scheduler: scheduler) : .just(number)
            }
            let subscription = stream.subscribe(recorder)
            for number in 0..<20_000 { input.onNext(number) }
            input.onCompleted()
            scheduler.start()
            XCTAssertEqual(recorder.elements, Array(0..<20_000))
            XCTAssertTrue(recorder.hasCompleted)
            subscription.dispose()
        }
    }

    /// ReactiveCocoa #3140: one late stream precedes many streams that end at once.
    func testRule9ConcatMapWithADelayedFirstStreamKeepsTheStackFlat() {
        onASmallStack {
            let scheduler = TestScheduler(initialClock: 0)
            let stream = Observable.from(0..<20_000).concatMap {
                $0 == 0 ? Observable.just(0).delay(.seconds(1), scheduler: scheduler) : .just($0)
            }
            let recorder = Recorder<Int>()
            let subscription = stream.subscribe(recorder)
            scheduler.start()
            XCTAssertEqual(recorder.elements.count, 20_000)
            subscription.dispose()
        }
    }

    /// RxSwift #2275: `flatMapLatest` of a stream that repeats itself with `catch`.
    func testRule9FlatMapLatestOfAStreamThatRepeatsByCatchKeepsTheStackFlat() {
        onASmallStack {
            struct Again: Error {}
            @Sendable func repeated(_ count: Int) -> Observable<Int> {
                if count == 20_000 { return .empty() }
                return Observable.just(count).concat(Observable.error(Again())).catch { _ in repeated(count + 1) }
            }
            let stream = Observable.just(0).flatMapLatest { _ in repeated(0) }
            XCTAssertEqual(stream.record().elements, Array(0..<20_000))
        }
    }

    /// ReactiveSwift #242 and ReactiveCocoa #2255: each value leads to the next request. Recursion through `flatMap` nests an
    /// operator per value there. `expand` replaces it here.
    func testRule9ExpandOfResponsesThatLeadToTheNextRequestKeepsTheStackFlat() {
        onASmallStack {
            let response: @Sendable (Int) -> Single<Int> = { .just($0 + 1) }
            let stream = Observable.just(0).expand { $0 < 20_000 ? response($0).asMaybe() : .empty() }.takeLast(1)
            XCTAssertEqual(stream.record().events, [.next(20_000), .completed])
        }
    }

    /// RxSwift #2523: a long list of singles runs one after the other.
    func testRule9ConcatMapOfALongListOfSinglesKeepsTheStackFlat() {
        onASmallStack {
            let singles = (0..<20_000).map { Single.just($0) }
            let all = Observable.from(singles).concatMap { $0 }.toArray()
            XCTAssertEqual(all.asObservable().record().elements, [Array(0..<20_000)])
        }
    }
}
