import FreshetCore
import FreshetTesting
import XCTest

/// Tests pauses of a source that several observers share, and of operators that emit when time passes.
final class SharedPauseTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    private let place = SerialDisposable()

    private func watch<Element>(_ stream: Observable<Element>) -> Recorder<Element> {
        let recorder = Recorder<Element>()
        place.disposable = stream.subscribe(recorder)
        return recorder
    }

    override func tearDown() {
        place.dispose()
        scheduler.start()
        super.tearDown()
    }

    func testASharedSourceIsPausedWhenAllItsObserversPause() {
        let source = Wire<Int>()
        let shared = source.stream.share()
        let places = (0..<3).map { _ in SerialDisposable() }
        for place in places { place.disposable = shared.subscribe(Recorder<Int>()) }
        places[0].pause()
        places[0].pause()
        places[1].pause()
        XCTAssertEqual(source.log, [])
        places[2].pause()
        XCTAssertEqual(source.log, ["pause"])
        places[0].resume()
        XCTAssertEqual(source.log, ["pause", "resume"])
        places[0].dispose()
        XCTAssertEqual(source.log, ["pause", "resume", "pause"], "who has gone does not count")
        let late = shared.subscribe(Recorder<Int>())
        XCTAssertEqual(source.log.last, "resume")
        late.dispose()
        XCTAssertEqual(source.log.last, "pause")
        places[1].dispose()
        places[2].dispose()
        XCTAssertEqual(source.log.suffix(2), ["pause", "dispose"], "nothing is set going for the last time")
    }

    func testAnObserverOfAPausedSharedSourceReceivesAllElementsAfterTheResume() {
        let shared = Observable.from(1...5).subscribe(on: scheduler).publish()
        let first = Recorder<Int> { [place] _ in place.pause() }
        place.disposable = shared.subscribe(first)
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
        let recorder = watch(shared.concatMap { number in shared.take(1).map { [number, $0] } }.take(2))
        scheduler.advanceTo(20)
        XCTAssertEqual(recorder.elements, [[0, 1], [1, 2]])
    }

    func testAConnectionMadeDuringAPauseStartsPaused() {
        let source = Wire<Int>()
        let shared = source.stream.publish()
        place.disposable = shared.subscribe(Recorder<Int>())
        place.pause()
        let connection = shared.connect()
        XCTAssertEqual(source.log, ["pause"])
        place.resume()
        XCTAssertEqual(source.log, ["pause", "resume"])
        connection.dispose()
    }

    func testAnOverflowOfOneObserverLeavesTheOthersRunning() {
        let source = Wire<Int>()
        let shared = source.stream.share()
        let slow = Recorder<Int>(), quick = Recorder<Int>()
        place.disposable = shared.onOverflow(.latest).subscribe(slow)
        let other = shared.subscribe(quick)
        place.pause()
        source.send(1, 2, 3)
        XCTAssertEqual(quick.elements, [1, 2, 3])
        place.resume()
        XCTAssertEqual(slow.elements, [3])
        other.dispose()
    }

    func testObserversThatPauseAndResumeOnManyThreadsLeaveTheSourceRunning() {
        let source = Wire<Int>()
        let shared = source.stream.share()
        let places = (0..<2).map { _ in SerialDisposable() }
        for place in places { place.disposable = shared.subscribe(Recorder<Int>()) }
        onThreads(2) { number in
            for _ in 0..<20_000 {
                places[number].pause()
                places[number].resume()
            }
        }
        XCTAssertNotEqual(source.log.last, "pause")
        for place in places { place.dispose() }
    }

    func testPausedWindowsPauseTheSourceAndTheTime() {
        let source = Wire<Int>()
        let window = SerialDisposable()
        let streams = source.stream.window(timeSpan: .seconds(5), count: 9, scheduler: scheduler)
        place.disposable = streams.subscribe(onNext: { window.disposable = $0.subscribe(Recorder<Int>()) })
        window.pause()
        XCTAssertEqual(source.log, [])
        place.pause()
        XCTAssertEqual(source.log, ["pause"])
        scheduler.advanceTo(20)
        window.resume()
        XCTAssertEqual(source.log, ["pause"], "what was due comes first")
        scheduler.advanceTo(21)
        XCTAssertEqual(source.log.last, "resume")
        window.dispose()
    }

    func testABufferIsNotEmittedDuringAPause() {
        let source = Wire<Int>()
        let recorder = watch(source.stream.buffer(timeSpan: .seconds(5), count: 9, scheduler: scheduler))
        source.send(1)
        place.pause()
        scheduler.advanceTo(100)
        XCTAssertEqual(recorder.elements, [])
        place.resume()
        scheduler.advanceTo(101)
        XCTAssertEqual(recorder.elements, [[1]])
        scheduler.advanceTo(105)
        XCTAssertEqual(recorder.elements, [[1], []])
    }

    func testAnElementDueInAPauseIsEmittedBeforeTheNextOneOfTheSource() {
        let source = Wire<Int>()
        let talkative = Talkative(source)
        let recorder = watch(talkative.stream.debounce(.seconds(5), scheduler: scheduler))
        source.send(1)
        place.pause()
        scheduler.advanceTo(20)
        place.resume()
        scheduler.advanceTo(30)
        XCTAssertEqual(recorder.elements, [1, 99])
    }

    func testADelayEmitsDueElementsAfterTheResume() {
        let source = Wire<Int>()
        let recorder = watch(source.stream.delay(.seconds(5), scheduler: scheduler))
        source.send(1, 2)
        source.complete()
        place.pause()
        scheduler.advanceTo(20)
        XCTAssertEqual(recorder.events, [])
        place.resume()
        scheduler.advanceTo(21)
        XCTAssertEqual(recorder.events, [.next(1), .next(2), .completed])
    }

    func testAPausedSourceDoesNotTimeOut() {
        for isStepping in [true, false] {
            let time: any SchedulerType = isStepping ? scheduler : SerialScheduler(over: scheduler)
            let start = scheduler.clock
            let recorder = watch(Wire<Int>().stream.timeout(.seconds(5), scheduler: time))
            place.pause()
            scheduler.advanceTo(start + 50)
            place.resume()
            scheduler.advanceTo(start + 54)
            XCTAssertEqual(recorder.events, [])
            scheduler.advanceTo(start + 56)
            XCTAssertEqual(recorder.events, [.error(RxError.timeout)])
        }
    }

    func testAnIntervalSkipsNoNumberDuringAPause() {
        let recorder = watch(Observable<Int>.interval(.seconds(5), scheduler: scheduler))
        scheduler.advanceTo(6)
        place.pause()
        scheduler.advanceTo(32)
        place.resume()
        scheduler.advanceTo(40)
        XCTAssertEqual(recorder.elements, [0, 1, 2])
    }

    func testObserveOnKeepsItsQueueDuringAPause() {
        let source = Wire<Int>()
        let recorder = watch(source.stream.observe(on: scheduler))
        source.send(1, 2, 3)
        place.pause()
        scheduler.start()
        XCTAssertEqual(recorder.elements, [])
        XCTAssertEqual(source.log, ["pause"])
        place.resume()
        scheduler.start()
        XCTAssertEqual(recorder.elements, [1, 2, 3])
        XCTAssertEqual(source.log, ["pause", "resume"])
    }

    func testABoundedObserveOnPausesItsSourceWhenItsBufferIsFull() {
        let source = Wire<Int>()
        let recorder = watch(source.stream.observe(on: scheduler, buffering: 1...3))
        place.pause()
        source.send(1, 2)
        XCTAssertEqual(source.log, [])
        source.send(3)
        XCTAssertEqual(source.log, ["pause"])
        scheduler.start()
        XCTAssertEqual(recorder.elements, [])
        place.resume()
        scheduler.start()
        XCTAssertEqual(recorder.elements, [1, 2, 3])
        XCTAssertEqual(source.log, ["pause", "resume"])
    }
}

/// A source that emits as soon as it is resumed.
private struct Talkative {
    let stream: Observable<Int>

    init(_ wire: Wire<Int>) {
        stream = .create { observer in
            Subscription(source: wire.stream.subscribe(observer)) { observer.onNext(99) }
        }
    }

    private struct Subscription: Pausable {
        let source: any Disposable
        let speak: @Sendable () -> Void

        func dispose() { source.dispose() }
        func pause() {}
        func resume() { speak() }
    }
}
