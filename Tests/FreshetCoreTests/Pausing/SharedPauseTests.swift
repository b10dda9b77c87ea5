import FreshetCore
import FreshetTesting
import XCTest

/// Tests pauses of a source that several observers share, and of operators that emit when time passes.
final class SharedPauseTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    private let subscription = SerialDisposable()

    private func observe<Element>(_ stream: Observable<Element>) -> Recorder<Element> {
        let recorder = Recorder<Element>()
        subscription.disposable = stream.subscribe(recorder)
        return recorder
    }

    override func tearDown() {
        subscription.dispose()
        scheduler.start()
        super.tearDown()
    }

    func testASharedSourceIsPausedWhenAllItsObserversPause() {
        let source = ControlledSource<Int>()
        let shared = source.stream.share()
        let subscriptions = (0..<3).map { _ in SerialDisposable() }
        for subscription in subscriptions { subscription.disposable = shared.subscribe(Recorder<Int>()) }
        subscriptions[0].pause()
        subscriptions[0].pause()
        subscriptions[1].pause()
        XCTAssertEqual(source.log, [])
        subscriptions[2].pause()
        XCTAssertEqual(source.log, ["pause"])
        subscriptions[0].resume()
        XCTAssertEqual(source.log, ["pause", "resume"])
        subscriptions[0].dispose()
        XCTAssertEqual(source.log, ["pause", "resume", "pause"], "a disposed observer does not count")
        let late = shared.subscribe(Recorder<Int>())
        XCTAssertEqual(source.log.last, "resume")
        late.dispose()
        XCTAssertEqual(source.log.last, "pause")
        subscriptions[1].dispose()
        subscriptions[2].dispose()
        XCTAssertEqual(source.log.suffix(2), ["pause", "dispose"], "nothing is set going for the last time")
    }

    func testAnObserverOfAPausedSharedSourceReceivesAllElementsAfterTheResume() {
        let shared = Observable.from(1...5).subscribe(on: scheduler).publish()
        let first = Recorder<Int> { [subscription] _ in subscription.pause() }
        subscription.disposable = shared.subscribe(first)
        let connection = shared.connect()
        scheduler.start()
        XCTAssertEqual(first.elements, [1])
        let second = Recorder<Int>()
        let late = shared.subscribe(second)
        XCTAssertEqual(second.events, [.next(2), .next(3), .next(4), .next(5), .completed])
        late.dispose()
        connection.dispose()
    }

    func testAnInnerStreamReceivesElementsOfTheSharedSourceThatItsOperatorPauses() {
        let shared = Observable<Int>.interval(.seconds(1), scheduler: scheduler).share()
        let recorder = observe(shared.concatMap { number in shared.take(1).map { [number, $0] } }.take(2))
        scheduler.advanceTo(20)
        XCTAssertEqual(recorder.elements, [[0, 1], [1, 2]])
    }

    func testAConnectionMadeDuringAPauseStartsPaused() {
        let source = ControlledSource<Int>()
        let shared = source.stream.publish()
        subscription.disposable = shared.subscribe(Recorder<Int>())
        subscription.pause()
        let connection = shared.connect()
        XCTAssertEqual(source.log, ["pause"])
        subscription.resume()
        XCTAssertEqual(source.log, ["pause", "resume"])
        connection.dispose()
    }

    func testAnOverflowOfOneObserverLeavesTheOthersRunning() {
        let source = ControlledSource<Int>()
        let shared = source.stream.share()
        let slow = Recorder<Int>(), quick = Recorder<Int>()
        subscription.disposable = shared.onOverflow(.latest).subscribe(slow)
        let other = shared.subscribe(quick)
        subscription.pause()
        source.send(1, 2, 3)
        XCTAssertEqual(quick.elements, [1, 2, 3])
        subscription.resume()
        XCTAssertEqual(slow.elements, [3])
        other.dispose()
    }

    func testObserversThatPauseAndResumeOnManyThreadsLeaveTheSourceRunning() {
        let source = ControlledSource<Int>()
        let shared = source.stream.share()
        let subscriptions = (0..<2).map { _ in SerialDisposable() }
        for subscription in subscriptions { subscription.disposable = shared.subscribe(Recorder<Int>()) }
        onThreads(2) { number in
            for _ in 0..<20_000 {
                subscriptions[number].pause()
                subscriptions[number].resume()
            }
        }
        XCTAssertNotEqual(source.log.last, "pause")
        for subscription in subscriptions { subscription.dispose() }
    }

    func testPausedWindowsPauseTheSourceAndTheTime() {
        let source = ControlledSource<Int>()
        let window = SerialDisposable()
        let streams = source.stream.window(timeSpan: .seconds(5), count: 9, scheduler: scheduler)
        subscription.disposable = streams.subscribe(onNext: { window.disposable = $0.subscribe(Recorder<Int>()) })
        window.pause()
        XCTAssertEqual(source.log, [])
        subscription.pause()
        XCTAssertEqual(source.log, ["pause"])
        scheduler.advanceTo(20)
        window.resume()
        XCTAssertEqual(source.log, ["pause"], "what was due comes first")
        scheduler.advanceTo(21)
        XCTAssertEqual(source.log.last, "resume")
        window.dispose()
    }

    func testABufferIsNotEmittedDuringAPause() {
        let source = ControlledSource<Int>()
        let recorder = observe(source.stream.buffer(timeSpan: .seconds(5), count: 9, scheduler: scheduler))
        source.send(1)
        subscription.pause()
        scheduler.advanceTo(100)
        XCTAssertEqual(recorder.elements, [])
        subscription.resume()
        scheduler.advanceTo(101)
        XCTAssertEqual(recorder.elements, [[1]])
        scheduler.advanceTo(105)
        XCTAssertEqual(recorder.elements, [[1], []])
    }

    func testAnElementDueInAPauseIsEmittedBeforeTheNextOneOfTheSource() {
        let source = ControlledSource<Int>()
        let emitting = EmittingOnResume(source)
        let recorder = observe(emitting.stream.debounce(.seconds(5), scheduler: scheduler))
        source.send(1)
        subscription.pause()
        scheduler.advanceTo(20)
        subscription.resume()
        scheduler.advanceTo(30)
        XCTAssertEqual(recorder.elements, [1, 99])
    }

    func testADelayEmitsDueElementsAfterTheResume() {
        let source = ControlledSource<Int>()
        let recorder = observe(source.stream.delay(.seconds(5), scheduler: scheduler))
        source.send(1, 2)
        source.complete()
        subscription.pause()
        scheduler.advanceTo(20)
        XCTAssertEqual(recorder.events, [])
        subscription.resume()
        scheduler.advanceTo(21)
        XCTAssertEqual(recorder.events, [.next(1), .next(2), .completed])
    }

    func testAPausedSourceDoesNotTimeOut() {
        for isStepping in [true, false] {
            let time: any SchedulerType = isStepping ? scheduler : SerialScheduler(over: scheduler)
            let start = scheduler.clock
            let recorder = observe(ControlledSource<Int>().stream.timeout(.seconds(5), scheduler: time))
            subscription.pause()
            scheduler.advanceTo(start + 50)
            subscription.resume()
            scheduler.advanceTo(start + 54)
            XCTAssertEqual(recorder.events, [])
            scheduler.advanceTo(start + 56)
            XCTAssertEqual(recorder.events, [.error(RxError.timeout)])
        }
    }

    func testAnIntervalSkipsNoNumberDuringAPause() {
        let recorder = observe(Observable<Int>.interval(.seconds(5), scheduler: scheduler))
        scheduler.advanceTo(6)
        subscription.pause()
        scheduler.advanceTo(32)
        subscription.resume()
        scheduler.advanceTo(40)
        XCTAssertEqual(recorder.elements, [0, 1, 2])
    }

    func testObserveOnKeepsItsQueueDuringAPause() {
        let source = ControlledSource<Int>()
        let recorder = observe(source.stream.observe(on: scheduler))
        source.send(1, 2, 3)
        subscription.pause()
        scheduler.start()
        XCTAssertEqual(recorder.elements, [])
        XCTAssertEqual(source.log, ["pause"])
        subscription.resume()
        scheduler.start()
        XCTAssertEqual(recorder.elements, [1, 2, 3])
        XCTAssertEqual(source.log, ["pause", "resume"])
    }

    func testABoundedObserveOnPausesItsSourceWhenItsBufferIsFull() {
        let source = ControlledSource<Int>()
        let recorder = observe(source.stream.observe(on: scheduler, buffering: 1...3))
        subscription.pause()
        source.send(1, 2)
        XCTAssertEqual(source.log, [])
        source.send(3)
        XCTAssertEqual(source.log, ["pause"])
        scheduler.start()
        XCTAssertEqual(recorder.elements, [])
        subscription.resume()
        scheduler.start()
        XCTAssertEqual(recorder.elements, [1, 2, 3])
        XCTAssertEqual(source.log, ["pause", "resume"])
    }

    /// The alarm of the pause fires on the scheduler, and the elements of a source that is resumed earlier would overtake it.
    func testASecondResumeBeforeTheLateAlarmFiresDoesNotResumeTheSource() {
        let source = ControlledSource<Int>()
        let recorder = observe(
            EmittingOnResume(source).stream.buffer(timeSpan: .seconds(5), count: 9, scheduler: scheduler))
        source.send(1)
        subscription.pause()
        scheduler.advanceTo(6)
        subscription.resume()
        subscription.pause()
        subscription.resume()
        scheduler.advanceTo(7)
        XCTAssertEqual(recorder.elements, [[1]])
        scheduler.advanceTo(20)
        XCTAssertEqual(recorder.elements.dropFirst().first, [99])
    }
}

/// A source that emits as soon as it is resumed.
private struct EmittingOnResume {
    let stream: Observable<Int>

    init(_ input: ControlledSource<Int>) {
        stream = .create { observer in
            Subscription(source: input.stream.subscribe(observer)) { observer.onNext(99) }
        }
    }

    private struct Subscription: Pausable {
        let source: any Disposable
        let emit: @Sendable () -> Void

        func dispose() { source.dispose() }
        func pause() {}
        func resume() { emit() }
    }
}
