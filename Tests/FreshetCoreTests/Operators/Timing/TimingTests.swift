import FreshetCore
import FreshetTesting
import XCTest

/// The expected lines are those of the operators' documentation.
final class TimingTests: CoreTestCase {
    private func check(
        _ source: String, _ expected: String, isCold: Bool = false, line: UInt = #line,
        _ operation: (Observable<String>, TestScheduler) -> Observable<String>
    ) {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let events = Marble.events(source, from: isCold ? 0 : 200)
        let testable = isCold ? scheduler.createColdObservable(events) : scheduler.createHotObservable(events)
        let stream = operation(testable.asObservable(), scheduler)
        let result = scheduler.start(disposed: 230) { stream }
        XCTAssertEqual(Marble.text(of: result.events, from: 200), expected, line: line)
    }

    func testDelayShiftsElementsAndTheCompletion() {
        check("-a--b-----|", "----a--b-----|") { $0.delay(.seconds(3), scheduler: $1) }
        check("-a--b#", "----a#") { $0.delay(.seconds(3), scheduler: $1) }
        check("-(abc)|", "----(abc)|") { $0.delay(.seconds(3), scheduler: $1) }
    }

    func testDelaySubscriptionSubscribesLater() {
        check("-a--b--|", "----a--b--|", isCold: true) { $0.delaySubscription(.seconds(3), scheduler: $1) }
    }

    func testTimersAndIntervalsEmitNumbersAtTheirTimes() {
        check("", "---(0|)") {
            Observable<Int>.timer(.seconds(3), scheduler: $1).map(String.init)
        }
        check("", "---0123|") {
            Observable<Int>.timer(.seconds(3), period: .seconds(1), scheduler: $1).map(String.init)
                .take(for: .seconds(7), scheduler: $1)
        }
        check("", "--0-1-2-3|") {
            Observable<Int64>.interval(.seconds(2), scheduler: $1).map { "\($0)" }.take(for: .seconds(9), scheduler: $1)
        }
    }

    func testTimeoutFailsOrSwitchesWhenNoElementArrives() {
        check("-a--b-------c|", "-a--b---#") { $0.timeout(.seconds(4), scheduler: $1) }
        check("-a--b---c|", "-a--b---c|") { $0.timeout(.seconds(5), scheduler: $1) }
        check("-a--b---#", "-a--b---#") { $0.timeout(.seconds(5), scheduler: $1) }
        check("-a--b-------c|", "-a--b----xy|") { source, scheduler in
            let other = scheduler.createColdObservable(Marble.events("-xy|"))
            return source.timeout(.seconds(4), other: other, scheduler: scheduler)
        }
    }

    func testTimeoutFailsWithTheTimeoutError() {
        let scheduler = TestScheduler(initialClock: 0)
        let result = scheduler.start { Observable<Int>.never().timeout(.seconds(30), scheduler: scheduler) }
        XCTAssertEqual(result.events, [.error(230, RxError.timeout)])
    }

    func testTakeAndSkipForADurationSplitTheStream() {
        check("-a--b--c--d|", "-a--b|") { $0.take(for: .seconds(5), scheduler: $1) }
        check("-a--b--c--d|", "-------c--d|") { $0.skip(.seconds(5), scheduler: $1) }
        check("-a#", "-a#") { $0.take(for: .seconds(5), scheduler: $1) }
        check("-a#", "--#") { $0.skip(.seconds(5), scheduler: $1) }
    }

    func testDebounceEmitsTheLastElementAfterSilence() {
        check("-a-b----c---d-e|", "------b----c---(e|)") { $0.debounce(.seconds(3), scheduler: $1) }
        check("-a-b#", "----#") { $0.debounce(.seconds(3), scheduler: $1) }
    }

    func testThrottleEmitsAtMostOneElementPerInterval() {
        check("-ab-c----d-e-|", "-a--c----d--e|") { $0.throttle(.seconds(3), scheduler: $1) }
        check("-ab-c----d-e-|", "-a--c----d---|") { $0.throttle(.seconds(3), latest: false, scheduler: $1) }
        check("-ab#", "-a-#") { $0.throttle(.seconds(3), scheduler: $1) }
    }

    func testBufferEmitsWhenFullOrDue() {
        let names = ["ab": "A", "c": "B", "": "C", "d": "D"]
        check("-a-b-c------d|", "---A---B---C-(D|)") {
            $0.buffer(timeSpan: .seconds(4), count: 2, scheduler: $1).map { names[$0.joined()] ?? "?" }
        }
    }

    func testSampleEmitsTheLatestElementAtEachTick() {
        check("-a-b-----c--|", "----b-----c--|") { source, scheduler in
            source.sample(scheduler.createHotObservable(Marble.events("----x--x--x--x", from: 200)))
        }
        check("-a----------|", "----a--0--0--(0|)") { source, scheduler in
            source.sample(
                scheduler.createHotObservable(Marble.events("----x--x--x--x", from: 200)), defaultValue: "0")
        }
    }

    func testWindowOpensWhenFullOrDue() {
        check("-a-b-c------d|", "-a-b-c------d|") {
            $0.window(timeSpan: .seconds(4), count: 2, scheduler: $1).flatMap { $0 }
        }
        check("-a-b-c------d|", "A--B---C---D-|") {
            let number = Counter()
            return $0.window(timeSpan: .seconds(4), count: 2, scheduler: $1)
                .map { _ in ["A", "B", "C", "D"][number.increment() - 1] }
        }
    }

    func testAWindowOutlivesTheStreamOfWindows() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(Marble.events("-a-b-c-|", from: 200))
        let inner = scheduler.createObserver(String.self)
        let outer = SerialDisposable()
        let window = SerialDisposable()
        scheduler.scheduleAt(200) {
            outer.disposable = source.window(timeSpan: .seconds(100), count: 100, scheduler: scheduler).subscribe(
                onNext: { window.disposable = $0.subscribe(inner) })
        }
        scheduler.scheduleAt(202) { outer.dispose() }
        scheduler.scheduleAt(204) { window.dispose() }
        scheduler.start()
        XCTAssertEqual(inner.events, [.next(201, "a"), .next(203, "b")])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 204)])
    }

    /// A busy `concatMap` pauses them, and the subject above them goes on.
    func testAnElementThatIsDueIsNotReplacedWhileDownstreamIsBusy() {
        typealias Timed = (Observable<Int>, TestScheduler) -> Observable<Int>
        let operators: [(String, Timed)] = [
            ("debounce", { $0.debounce(.seconds(2), scheduler: $1) }),
            ("throttle", { $0.throttle(.seconds(2), scheduler: $1) }),
            ("audit", { $0.audit(.seconds(2), scheduler: $1) }),
            ("sample", { $0.sample(.seconds(2), scheduler: $1) }),
        ]
        for (name, timed) in operators {
            let scheduler = TestScheduler(initialClock: 0)
            let subject = PublishSubject<Int>()
            let log = Log<Int>()
            let subscription = timed(subject.asObservable(), scheduler)
                .concatMap { Observable.just($0).delay(.seconds(50), scheduler: scheduler) }
                .subscribe(onNext: { log.append($0) })
            for (index, time) in [1, 5, 9, 13].enumerated() {
                scheduler.scheduleAt(time) { subject.onNext(index) }
            }
            scheduler.scheduleAt(400) { subscription.dispose() }
            scheduler.start()
            XCTAssertEqual(log.all, [0, 1, 2, 3], name)
        }
    }

    func testConcatenatedWindowsDoNotPauseTheirSource() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = ControlledSource<Int>()
        let recorder = Recorder<Int>()
        let subscription = source.stream.window(timeSpan: .seconds(100), count: 2, scheduler: scheduler)
            .concatMap { $0 }.subscribe(recorder)
        source.send(1, 2, 3)
        XCTAssertEqual(recorder.elements, [1, 2, 3])
        XCTAssertNotEqual(source.log.last, "pause")
        subscription.dispose()
    }

    func testNoTimerEmitsAfterTheDisposal() {
        let scheduler = TestScheduler(initialClock: 0)
        let log = Log<Event<Int>>()
        let source = PublishSubject<Int>()
        let subscription = source.delay(.seconds(5), scheduler: scheduler).timeout(.seconds(9), scheduler: scheduler)
            .debounce(.seconds(1), scheduler: scheduler).subscribe { log.append($0) }
        source.onNext(1)
        subscription.dispose()
        scheduler.start()
        XCTAssertEqual(log.all, [])
        XCTAssertFalse(source.hasObservers)
    }

    func testADisposalInsideADelayedElementDropsTheOthersDueThen() {
        let scheduler = TestScheduler(initialClock: 0)
        let log = Log<Int>()
        let source = PublishSubject<Int>()
        let subscription = SerialDisposable()
        subscription.disposable = source.delay(.seconds(5), scheduler: scheduler).subscribe(onNext: {
            log.append($0)
            subscription.dispose()
        })
        source.onNext(1)
        source.onNext(2)
        scheduler.start()
        XCTAssertEqual(log.all, [1])
    }

    func testADurationBelowTheClockResolutionExpires() {
        let scheduler = VirtualTimeScheduler(
            initialClock: 0, converter: TestSchedulerVirtualTimeConverter(resolution: 1))
        let log = Log<String>()
        let short = RxTimeInterval.milliseconds(10)
        let subscriptions = [
            Observable.just(1).delay(short, scheduler: scheduler).subscribe { log.append("delay \($0)") },
            Observable.just(2).concat(Observable.never()).debounce(short, scheduler: scheduler)
                .subscribe { log.append("debounce \($0)") },
            Observable<Int>.never().timeout(short, scheduler: scheduler).subscribe { log.append("timeout \($0)") },
        ]
        scheduler.advanceTo(0)
        XCTAssertEqual(
            log.all.sorted(),
            ["debounce next(2)", "delay completed", "delay next(1)", "timeout error(\(RxError.timeout))"])
        for subscription in subscriptions { subscription.dispose() }
    }

    func testElementsOfOneTimeStayTogetherAfterADelayOfAFractionOfAUnit() {
        for milliseconds in [400, 600, 1400, 1600] {
            let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
            let source = scheduler.createHotObservable([.next(5, 1), .next(5, 2), .completed(5)])
            let observer = scheduler.createObserver(Int.self)
            _ = source.delay(.milliseconds(milliseconds), scheduler: scheduler).subscribe(observer)
            scheduler.start()
            let due = milliseconds < 1500 ? 6 : 7
            XCTAssertEqual(
                observer.events, [.next(due, 1), .next(due, 2), .completed(due)], "\(milliseconds) milliseconds")
        }
    }
}
