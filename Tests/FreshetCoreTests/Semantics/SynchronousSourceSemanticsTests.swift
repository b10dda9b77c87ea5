import FreshetCore
import FreshetTesting
import XCTest

/// Tests operators whose sources end inside `subscribe`, and the order in which they subscribe.
final class SynchronousSourceSemanticsTests: CoreTestCase {
    private let log = Log<String>()

    /// A source that logs its subscription and sends `events` inside it.
    private func source(_ name: String, _ events: Event<Int>...) -> Observable<Int> {
        .create { [log] observer in
            log.append(name)
            for event in events { observer.on(event) }
            return Disposables.create()
        }
    }

    private func failing(_ name: String) -> Observable<Int> { source(name, .next(1), .error(Fault.first)) }

    func testCombineLatestOfSynchronousSourcesUsesTheLastElementOfTheFirst() {
        let first = source("a", .next(1), .next(2), .completed)
        let second = source("b", .next(10), .next(20), .completed)
        XCTAssertEqual(
            Observable.combineLatest(first, second) { $0 + $1 }.record().events, [.next(12), .next(22), .completed])
        XCTAssertEqual(log.all, ["a", "b"])
    }

    func testZipOfSynchronousSourcesPairsTheirElements() {
        let first = source("a", .next(1), .next(2), .next(3), .completed)
        let second = source("b", .next(10), .next(20), .completed)
        XCTAssertEqual(
            Observable.zip(first, second) { $0 + $1 }.record().events, [.next(11), .next(22), .completed])
        XCTAssertEqual(
            Observable.zip([first, second]) { $0[0] + $0[1] }.record().events, [.next(11), .next(22), .completed])
    }

    func testAnErrorInsideTheSubscribingCallLeavesTheOthersUnsubscribed() {
        let other = source("other", .next(9))
        let streams = [
            Observable.combineLatest(failing("a"), other) { $0 + $1 }, Observable.zip(failing("a"), other) { $0 + $1 },
            Observable.merge(failing("a"), other).skip(1), other.withLatestFrom(failing("a")) { $0 + $1 },
            other.take(until: failing("a").skip(1)), failing("a").concat(other).skip(1),
            failing("a").sample(other), failing("a").skip(until: other),
        ]
        for stream in streams { XCTAssertEqual(stream.record().events, [.error(Fault.first)]) }
        XCTAssertEqual(log.all, streams.map { _ in "a" })
    }

    func testWithLatestFromSubscribesToTheOtherSourceFirst() {
        let first = source("first", .next(1), .next(2), .completed)
        let second = source("second", .next(10), .next(20), .completed)
        XCTAssertEqual(
            first.withLatestFrom(second) { $0 + $1 }.record().events, [.next(21), .next(22), .completed])
        XCTAssertEqual(first.withLatestFrom(second).record().elements, [20, 20])
        XCTAssertEqual(log.all, ["second", "first", "second", "first"])
    }

    func testSkipUntilSubscribesToTheSourceFirst() {
        let first = source("first", .next(1), .next(2), .completed)
        XCTAssertEqual(first.skip(until: source("second", .next(0))).record().events, [])
        XCTAssertEqual(log.all, ["first"])
        let open = source("first", .next(1)).skip(until: source("second", .next(0)))
        XCTAssertEqual(open.record().events, [])
        XCTAssertEqual(log.all, ["first", "first", "second"])
    }

    func testTakeUntilSubscribesToTheOtherStreamFirst() {
        let stream = source("first", .next(1), .completed).take(until: source("other", .completed))
        XCTAssertEqual(stream.record().events, [.next(1), .completed])
        XCTAssertEqual(log.all, ["other", "first"])
    }

    func testSampleOfAnEndedSourceEmitsTheLatestElementAtTheFirstTick() {
        let stream = source("source", .next(1), .next(2), .completed).sample(source("sampler", .next(0), .next(0)))
        XCTAssertEqual(stream.record().events, [.next(2), .completed])
        XCTAssertEqual(log.all, ["source", "sampler"])
    }

    func testFlatteningOfSynchronousStreamsLosesNoElement() {
        let outer = source("outer", .next(1), .next(2), .completed)
        let inner: @Sendable (Int) -> Observable<Int> = { .of($0 * 10, $0 * 10 + 1) }
        let sent: @Sendable (Int) -> Observable<Int> = { number in
            .create { observer in
                observer.onNext(number * 10)
                observer.onNext(number * 10 + 1)
                observer.onCompleted()
                return Disposables.create()
            }
        }
        let all = [10, 11, 20, 21]
        for stream in [outer.flatMap(sent), outer.flatMapLatest(sent), outer.flatMapFirst(sent), outer.concatMap(sent)]
        {
            XCTAssertEqual(stream.record().elements, all)
        }
        XCTAssertEqual(outer.concatMap(inner).record().elements, all)
        XCTAssertEqual(outer.flatMap(inner).record().elements, [10, 20, 11, 21])
        XCTAssertEqual(outer.flatMapFirst(inner).record().elements, [10, 11])
        XCTAssertEqual(outer.flatMapLatest(inner).record().elements, [20, 21])
    }

    func testASynchronousInnerErrorSkipsTheRestOfTheOuterStream() {
        let outer = source("outer", .next(1), .next(2), .completed)
        let selected = Log<Int>()
        let inner: @Sendable (Int) -> Observable<Int> = { number in
            selected.append(number)
            return .error(Fault.first)
        }
        for stream in [
            outer.flatMap(inner), outer.flatMapLatest(inner), outer.flatMapFirst(inner), outer.concatMap(inner),
        ] {
            XCTAssertEqual(stream.record().events, [.error(Fault.first)])
        }
        XCTAssertEqual(selected.all, [1, 1, 1, 1])
    }

    func testCatchAndRetryRecoverFromASynchronousError() {
        XCTAssertEqual(failing("a").catch { _ in .just(2) }.record().events, [.next(1), .next(2), .completed])
        XCTAssertEqual(failing("a").retry(2).record().events, [.next(1), .next(1), .error(Fault.first)])
        XCTAssertEqual(
            failing("a").retry { (errors: Observable<any Error>) in errors.take(1) }.record().events,
            [.next(1), .next(1), .completed])
        XCTAssertEqual(
            failing("a").retry { (errors: Observable<any Error>) in errors.flatMap { Observable<Int>.error($0) } }
                .record().events,
            [.next(1), .error(Fault.first)])
    }

    func testAFailedTriggerFailsTheStreamAtTheNextError() {
        let stream = failing("a").retry { (_: Observable<any Error>) in Observable<Int>.error(Fault.second) }
        XCTAssertEqual(stream.record().events, [.next(1), .error(Fault.second)])
        let never = source("b", .next(1), .completed).retry { (_: Observable<any Error>) in
            Observable<Int>.error(Fault.second)
        }
        XCTAssertEqual(never.record().events, [.next(1), .completed])
    }

    func testAnElementOfTheTriggerIsIgnoredWhileTheSourceRuns() {
        let source = ControlledSource<Int>(), trigger = PublishSubject<Int>()
        let recorder = Recorder<Int>()
        let subscription = source.stream.retry { (_: Observable<any Error>) in trigger }.subscribe(recorder)
        trigger.onNext(1)
        XCTAssertEqual(source.subscriptions, 1)
        source.fail()
        XCTAssertEqual([source.observers, source.subscriptions], [0, 1])
        trigger.onNext(2)
        trigger.onNext(3)
        XCTAssertEqual([source.observers, source.subscriptions], [1, 2])
        subscription.dispose()
    }

    func testOperatorsOfTimePassASynchronousSource() {
        let operators: [(Observable<Int>, TestScheduler) -> Observable<Int>] = [
            { $0.debounce(.seconds(10), scheduler: $1) }, { $0.throttle(.seconds(10), scheduler: $1) },
            { $0.throttle(.seconds(10), latest: false, scheduler: $1) }, { $0.timeout(.seconds(10), scheduler: $1) },
            { $0.take(for: .seconds(10), scheduler: $1) }, { $0.skip(.seconds(10), scheduler: $1) },
        ]
        let expected: [[Recorded<Event<Int>>]] = [
            [.next(200, 2), .completed(200)], [.next(200, 1), .next(210, 2), .completed(210)],
            [.next(200, 1), .completed(200)], [.next(200, 1), .next(200, 2), .completed(200)],
            [.next(200, 1), .next(200, 2), .completed(200)], [.completed(200)],
        ]
        for (timed, expected) in zip(operators, expected) {
            let scheduler = TestScheduler(initialClock: 0)
            let stream = timed(source("a", .next(1), .next(2), .completed), scheduler)
            XCTAssertEqual(scheduler.start { stream }.events, expected)
        }
    }

    func testAmbSubscribesInOrder() {
        XCTAssertEqual(
            Observable.amb([source("a"), source("b", .next(2), .completed), source("c")]).record().events,
            [.next(2), .completed])
        XCTAssertEqual(log.all, ["a", "b"])
    }
}
