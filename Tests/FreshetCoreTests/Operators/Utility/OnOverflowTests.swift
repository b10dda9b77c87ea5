import FreshetCore
import FreshetTesting
import XCTest

final class OnOverflowTests: CoreTestCase {
    private let source = ControlledSource<Int>()
    private let subscription = SerialDisposable()

    private func observe(_ policy: OverflowPolicy, reaction: @escaping @Sendable (Event<Int>) -> Void = { _ in })
        -> Recorder<Int>
    {
        let recorder = Recorder<Int>(reaction: reaction)
        subscription.disposable = source.stream.onOverflow(policy).subscribe(recorder)
        return recorder
    }

    override func tearDown() {
        subscription.dispose()
        super.tearDown()
    }

    private static let policies: [OverflowPolicy] = [
        .buffer(0), .buffer(2), .dropOldest(2), .dropNewest(2), .latest, .error(2),
    ]

    func testAReadyObserverReceivesElementsAtOnce() {
        for policy in Self.policies {
            let recorder = observe(policy)
            source.send(1, 2, 3, 4, 5)
            XCTAssertEqual(recorder.elements, [1, 2, 3, 4, 5], "\(policy)")
        }
        XCTAssertEqual(source.log.filter { $0 != "dispose" }, [])
    }

    private func afterAPause(_ policy: OverflowPolicy) -> [Event<Int>] {
        let recorder = observe(policy)
        source.send(1)
        subscription.pause()
        source.send(2, 3, 4, 5)
        XCTAssertEqual(recorder.elements, [1])
        subscription.resume()
        source.send(6)
        return recorder.events
    }

    func testABufferKeepsAllElements() {
        XCTAssertEqual(afterAPause(.buffer(2)), [1, 2, 3, 4, 5, 6].map { .next($0) })
    }

    func testDropOldestKeepsTheNewestElements() {
        XCTAssertEqual(afterAPause(.dropOldest(2)), [1, 4, 5, 6].map { .next($0) })
    }

    func testDropNewestKeepsTheOldestElements() {
        XCTAssertEqual(afterAPause(.dropNewest(2)), [1, 2, 3, 6].map { .next($0) })
        XCTAssertEqual(afterAPause(.dropNewest(0)), [1, 6].map { .next($0) })
    }

    func testLatestKeepsOneElement() {
        XCTAssertEqual(afterAPause(.latest), [1, 5, 6].map { .next($0) })
    }

    func testAnOverflowErrorFollowsTheWaitingElements() {
        XCTAssertEqual(afterAPause(.error(2)), [.next(1), .next(2), .next(3), .error(OverflowError(capacity: 2))])
        XCTAssertEqual(source.observers, 0)
        XCTAssertEqual(afterAPause(.error(0)), [.next(1), .error(OverflowError(capacity: 0))])
    }

    func testAnOverflowErrorDisposesOfTheSourceAtOnce() {
        let recorder = observe(.error(1))
        subscription.pause()
        source.send(1, 2)
        XCTAssertEqual(source.observers, 0)
        XCTAssertEqual(recorder.events, [])
    }

    func testTheSourceOfABufferIsPausedAtItsCapacity() {
        let recorder = observe(.buffer(4)) { [subscription] event in if event.element == 12 { subscription.pause() } }
        subscription.pause()
        source.send(10, 11, 12)
        XCTAssertEqual(source.log, [])
        source.send(13)
        XCTAssertEqual(source.log, ["pause"])
        source.send(14)
        XCTAssertEqual(source.log, ["pause"])
        subscription.resume()
        XCTAssertEqual(recorder.elements, [10, 11, 12])
        XCTAssertEqual(source.log, ["pause", "resume"], "half of them have gone")
        subscription.resume()
        XCTAssertEqual(recorder.elements, [10, 11, 12, 13, 14])
    }

    func testOnlyABufferPausesTheSource() {
        for policy in Self.policies where ![.buffer(0), .buffer(2)].contains(policy) {
            _ = observe(policy)
            subscription.pause()
            source.send(1, 2, 3)
            XCTAssertFalse(source.log.contains("pause"), "\(policy)")
        }
    }

    func testAStopEventFollowsTheWaitingElements() {
        for policy in Self.policies where policy != .latest {
            let recorder = observe(policy)
            subscription.pause()
            source.send(1, 2)
            source.complete()
            XCTAssertEqual(recorder.events, [], "\(policy)")
            XCTAssertEqual(source.observers, 0, "the end is kept, and not the source")
            subscription.resume()
            XCTAssertEqual(recorder.events, [.next(1), .next(2), .completed], "\(policy)")
            subscription.disposable = Disposables.create()
        }
    }

    func testAStopEventWithoutWaitingElementsIsEmittedDuringAPause() {
        let recorder = observe(.latest)
        subscription.pause()
        source.fail()
        XCTAssertEqual(recorder.events, [.error(Fault.first)])
    }

    func testAnElementSentInsideAnElementWaits() {
        let recorder = observe(.dropNewest(1)) { [source] event in
            if event.element == 1 { source.send(2, 3) }
        }
        subscription.pause()
        source.send(1)
        subscription.resume()
        XCTAssertEqual(recorder.elements, [1, 2])
        XCTAssertEqual(recorder.overlaps, 0)
    }

    func testAPauseStopsTheEmission() {
        let recorder = observe(.buffer(10)) { [subscription] _ in subscription.pause() }
        subscription.pause()
        source.send(1, 2, 3)
        for count in 1...3 {
            subscription.resume()
            XCTAssertEqual(recorder.elements.count, count)
        }
    }

    func testNoElementFollowsTheDisposal() {
        let recorder = observe(.buffer(10)) { [subscription] event in if event.element == 2 { subscription.dispose() } }
        subscription.pause()
        source.send(1, 2, 3)
        subscription.resume()
        XCTAssertEqual(recorder.elements, [1, 2])
        XCTAssertEqual(source.observers, 0)
    }

    func testManyWaitingElementsDoNotDeepenTheStack() {
        onASmallStack {
            let subject = PublishSubject<Int>()
            let subscription = SerialDisposable()
            let count = Locked(0)
            subscription.disposable = subject.onOverflow(.buffer(10)).subscribe { _ in
                count.withLock { $0 += 1 }
                subscription.resume()
            }
            subscription.pause()
            for number in 0..<100_000 { subject.onNext(number) }
            subscription.resume()
            XCTAssertEqual(count.withLock { $0 }, 100_000)
            subscription.dispose()
        }
    }

    // MARK: Threads

    func testABufferBetweenThreadsLosesAndReordersNothing() {
        stress(.buffer(8)) { elements in XCTAssertEqual(elements, Array(0..<20_000)) }
    }

    func testDroppingBetweenThreadsKeepsTheOrder() {
        for policy in [OverflowPolicy.dropOldest(8), .dropNewest(8), .latest] {
            stress(policy) { elements in XCTAssertEqual(elements, elements.sorted()) }
        }
        stress(.latest) { elements in XCTAssertEqual(elements.last, 19_999, "the newest is never lost") }
    }

    /// Sends numbers from one thread while another thread pauses and resumes.
    private func stress(_ policy: OverflowPolicy, check: ([Int]) -> Void) {
        let recorder = observe(policy)
        onThreads(2) { [source, subscription] number in
            for turn in 0..<20_000 {
                if number == 0 {
                    source.send(turn)
                } else {
                    subscription.pause()
                    subscription.resume()
                }
            }
        }
        source.complete()
        XCTAssertEqual(recorder.overlaps, 0)
        XCTAssertTrue(recorder.hasCompleted)
        check(recorder.elements)
    }

    func testAConsumerOnAnotherThreadReceivesTheLatestElement() {
        let subject = PublishSubject<Int>()
        let loop = TestThread()
        let recorder = Recorder<Int>()
        subscription.disposable = subject.onOverflow(.latest).observe(on: loop, buffering: 0...1).subscribe(recorder)
        for number in 0..<10_000 { subject.onNext(number) }
        subject.onCompleted()
        loop.finish()
        XCTAssertTrue(recorder.hasCompleted)
        XCTAssertEqual(recorder.elements.last, 9_999)
        XCTAssertEqual(recorder.elements, recorder.elements.sorted())
    }

    /// As in RxSwift, whose `concatMap` never pauses.
    func testABufferBeforeConcatMapLetsTheOperatorsAboveItRun() {
        let operators: [(Observable<Int>, TestScheduler) -> Observable<Int>] = [
            { $0.debounce(.seconds(10), scheduler: $1) },
            { source, scheduler in
                source.flatMapLatest { x in
                    Observable<Int>.timer(.seconds(10), scheduler: scheduler).map { _ in x }
                }
            },
        ]
        for above in operators {
            let scheduler = TestScheduler(initialClock: 0)
            let hot = scheduler.createHotObservable([.next(210, 1), .next(240, 2), .next(270, 3), .next(300, 4)])
            let result = scheduler.start {
                above(hot.asObservable(), scheduler).onOverflow(.buffer(1000)).concatMap { x in
                    Observable<Int>.timer(.seconds(100), scheduler: scheduler).map { _ in x }
                }
            }
            XCTAssertEqual(result.events, [.next(320, 1), .next(420, 2), .next(520, 3), .next(620, 4)])
        }
    }

    func testTheSourceEndsBeforeTheErrorIsDelivered() {
        for policy in [OverflowPolicy.error(0), .latest] {
            let observers = Log<Int>()
            _ = observe(policy) { [source] in if $0.isStopEvent { observers.append(source.observers) } }
            if policy == .latest {
                source.fail()
            } else {
                subscription.pause()
                source.send(1)
            }
            XCTAssertEqual(observers.all, [0], "\(policy)")
        }
    }
}
