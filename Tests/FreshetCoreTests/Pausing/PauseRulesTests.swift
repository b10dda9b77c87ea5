import FreshetCore
import FreshetTesting
import XCTest

/// Tests the rules of pausing that differ between operators.
final class PauseRulesTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    private let subscription = SerialDisposable()

    private func observe<Element>(_ stream: Observable<Element>) -> Recorder<Element> {
        let recorder = Recorder<Element>()
        subscription.disposable = stream.subscribe(recorder)
        return recorder
    }

    /// Subscribes an observer that pauses at each element, beginning with the first one.
    private func observePausing(_ stream: Observable<Int>) -> Recorder<Int> {
        let recorder = Recorder<Int> { [subscription] _ in subscription.pause() }
        subscription.disposable = stream.subscribe(on: scheduler).subscribe(recorder)
        return recorder
    }

    override func tearDown() {
        subscription.dispose()
        scheduler.start()
        super.tearDown()
    }

    func testConcatStartsNoFurtherStreamDuringAPause() {
        let recorder = observePausing(Observable.concat((0..<1_000_000).lazy.map { Observable.just($0) }))
        subscription.pause()
        scheduler.start()
        XCTAssertEqual(recorder.elements.count, 1, "the first is started with the subscription")
        subscription.resume()
        XCTAssertEqual(recorder.elements.count, 2)
    }

    func testCatchStartsNoOtherSourceDuringAPause() {
        let first = ControlledSource<Int>(), second = ControlledSource<Int>()
        let recorder = observe(first.stream.catch { _ in second.stream })
        subscription.pause()
        first.fail()
        XCTAssertEqual(first.observers, 0)
        XCTAssertEqual(second.subscriptions, 0)
        subscription.resume()
        second.send(1)
        XCTAssertEqual(recorder.elements, [1])
    }

    func testARetryWaitsForTheResume() {
        let failing = Observable.just(1).concat(Observable.error(Fault.first))
        let recorder = observePausing(failing.retry().take(100))
        scheduler.start()
        XCTAssertEqual(recorder.elements, [1])
        subscription.resume()
        subscription.resume()
        XCTAssertEqual(recorder.elements, [1, 1, 1])
    }

    func testATriggeredRetryWaitsForTheResume() {
        let source = ControlledSource<Int>()
        let recorder = observe(source.stream.retry { (errors: Observable<any Error>) in errors })
        subscription.pause()
        source.fail()
        XCTAssertEqual(source.subscriptions, 1)
        subscription.resume()
        XCTAssertEqual(source.subscriptions, 2)
        source.send(1)
        XCTAssertEqual(recorder.elements, [1])
    }

    func testConcatMapStartsNoWaitingStreamDuringAPause() {
        let outer = PublishSubject<Int>()
        let recorder = observe(outer.concatMap { Observable.just($0) })
        subscription.pause()
        for number in 1...3 { outer.onNext(number) }
        outer.onCompleted()
        XCTAssertEqual(recorder.events, [])
        subscription.resume()
        XCTAssertEqual(recorder.events, [.next(1), .next(2), .next(3), .completed])
    }

    func testAMemberThatPausesAllInAResumeLeavesTheMembersAfterItPaused() {
        let recorder = observePausing(.merge(.of(1, 2, 3), .of(10, 20, 30)))
        scheduler.start()
        for _ in 0..<5 {
            let count = recorder.elements.count
            subscription.resume()
            XCTAssertEqual(recorder.elements.count, count + 1)
        }
    }

    func testAnInnerStreamThatPausesInAResumeLeavesTheOuterSourcePaused() {
        let outer = ControlledSource<Int>()
        let recorder = observePausing(outer.stream.flatMap { Observable.of($0, $0 + 1, $0 + 2) })
        scheduler.start()
        outer.send(10)
        subscription.resume()
        XCTAssertEqual(recorder.elements, [10, 11])
        XCTAssertEqual(outer.log.last, "pause")
    }

    func testStreamsThatWaitStartBeforeTheOuterSourceGoesOn() {
        let subject = PublishSubject<Int>(), calls = Locked(0)
        let recorder = observePausing(
            Observable.merge(subject.asObservable(), .range(start: 1, count: 10_000)).flatMap { number in
                calls.withLock { $0 += 1 }
                return Observable.of(number, number)
            })
        scheduler.start()
        subject.onNext(-1)
        for _ in 0..<5 { subscription.resume() }
        XCTAssertEqual(recorder.elements, [1, 1, -1, -1, 2, 2])
        XCTAssertLessThan(calls.withLock { $0 }, 6)
    }

    func testAStreamThatWaitsDoesNotOvertakeThePausedOnes() {
        let outer = PublishSubject<Int>(), gate = PublishSubject<Int>()
        let recorder = Recorder<Int> { [subscription] in if $0 == .next(1) { subscription.pause() } }
        subscription.disposable = outer.flatMap { number in
            number == 20 ? gate.concat(Observable.of(20, 21)) : Observable.of(number, number + 1)
        }.subscribe(recorder)
        for number in [20, 1, 3] { outer.onNext(number) }
        gate.onCompleted()
        subscription.resume()
        XCTAssertEqual(recorder.elements, [1, 20, 21, 2, 3, 4])
    }

    func testFlatMapLatestEmitsTheLatestStreamAfterTheResume() {
        let outer = PublishSubject<Int>(), inner = PublishSubject<Int>()
        let recorder = observe(outer.flatMapLatest { number in Observable.concat(inner, .just(number)) })
        outer.onNext(0)
        subscription.pause()
        for number in 1...3 { outer.onNext(number) }
        inner.onCompleted()
        outer.onCompleted()
        XCTAssertEqual(recorder.events, [])
        subscription.resume()
        XCTAssertEqual(recorder.events, [.next(3), .completed])
    }

    func testTimersThatBecameDueDuringAPauseFireInTheOrderInWhichTheyBegan() {
        let numbers = scheduler.createHotObservable([.next(10, 1), .next(40, 2), .next(70, 3)])
        let recorder = observe(
            numbers.flatMap { [scheduler] number in
                Observable<Int>.timer(.seconds(50), scheduler: scheduler).map { _ in number }
            })
        // The timer of the third takes the index of the first, which has ended.
        scheduler.advanceTo(75)
        subscription.pause()
        scheduler.advanceTo(200)
        subscription.resume()
        scheduler.start()
        XCTAssertEqual(recorder.elements, [1, 2, 3])
    }

    func testExpandStartsNoStreamDuringAPause() {
        let recorder = observePausing(Observable.just(0).expand { Observable.just($0 + 1) }.take(100))
        scheduler.start()
        XCTAssertEqual(recorder.elements.count, 1)
        subscription.resume()
        XCTAssertEqual(recorder.elements.count, 2)
    }

    func testConcatMapEagerHoldsWaitingElementsDuringAPause() {
        let sources = (0..<3).map { _ in ControlledSource<Int>() }
        let recorder = observe(Observable.of(0, 1, 2).concatMapEager(maxConcurrent: 2) { sources[$0].stream })
        sources[1].send(10, 11)
        subscription.pause()
        sources[0].complete()
        XCTAssertEqual(recorder.elements, [])
        XCTAssertEqual(sources[2].subscriptions, 0)
        sources[1].send(12)
        subscription.resume()
        XCTAssertEqual(recorder.elements, [10, 11, 12])
        sources[1].complete()
        sources[2].send(20)
        sources[2].complete()
        XCTAssertEqual(recorder.events, [10, 11, 12, 20].map { .next($0) } + [.completed])
    }
}
