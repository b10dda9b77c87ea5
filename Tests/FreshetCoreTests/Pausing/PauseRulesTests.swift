import FreshetCore
import FreshetTesting
import XCTest

/// Tests the rules of pausing that differ between operators.
final class PauseRulesTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    private let place = SerialDisposable()

    private func watch<Element>(_ stream: Observable<Element>) -> Recorder<Element> {
        let recorder = Recorder<Element>()
        place.disposable = stream.subscribe(recorder)
        return recorder
    }

    /// Subscribes an observer that pauses at each element, beginning with the first one.
    private func watchPausing(_ stream: Observable<Int>) -> Recorder<Int> {
        let recorder = Recorder<Int> { [place] _ in place.pause() }
        place.disposable = stream.subscribe(on: scheduler).subscribe(recorder)
        return recorder
    }

    override func tearDown() {
        place.dispose()
        scheduler.start()
        super.tearDown()
    }

    func testConcatStartsNoFurtherStreamDuringAPause() {
        let recorder = watchPausing(Observable.concat((0..<1_000_000).lazy.map { Observable.just($0) }))
        place.pause()
        scheduler.start()
        XCTAssertEqual(recorder.elements.count, 1, "the first is started with the subscription")
        place.resume()
        XCTAssertEqual(recorder.elements.count, 2)
    }

    func testCatchStartsNoOtherSourceDuringAPause() {
        let first = Wire<Int>(), second = Wire<Int>()
        let recorder = watch(first.stream.catch { _ in second.stream })
        place.pause()
        first.fail()
        XCTAssertEqual(first.observers, 0)
        XCTAssertEqual(second.subscriptions, 0)
        place.resume()
        second.send(1)
        XCTAssertEqual(recorder.elements, [1])
    }

    func testARetryWaitsForTheResume() {
        let failing = Observable.just(1).concat(Observable.error(Fault.first))
        let recorder = watchPausing(failing.retry().take(100))
        scheduler.start()
        XCTAssertEqual(recorder.elements, [1])
        place.resume()
        place.resume()
        XCTAssertEqual(recorder.elements, [1, 1, 1])
    }

    func testATriggeredRetryWaitsForTheResume() {
        let source = Wire<Int>()
        let recorder = watch(source.stream.retry { (errors: Observable<any Error>) in errors })
        place.pause()
        source.fail()
        XCTAssertEqual(source.subscriptions, 1)
        place.resume()
        XCTAssertEqual(source.subscriptions, 2)
        source.send(1)
        XCTAssertEqual(recorder.elements, [1])
    }

    func testConcatMapStartsNoWaitingStreamDuringAPause() {
        let outer = PublishSubject<Int>()
        let recorder = watch(outer.concatMap { Observable.just($0) })
        place.pause()
        for number in 1...3 { outer.onNext(number) }
        outer.onCompleted()
        XCTAssertEqual(recorder.events, [])
        place.resume()
        XCTAssertEqual(recorder.events, [.next(1), .next(2), .next(3), .completed])
    }

    func testFlatMapLatestEmitsTheLatestStreamAfterTheResume() {
        let outer = PublishSubject<Int>(), inner = PublishSubject<Int>()
        let recorder = watch(outer.flatMapLatest { number in Observable.concat(inner, .just(number)) })
        outer.onNext(0)
        place.pause()
        for number in 1...3 { outer.onNext(number) }
        inner.onCompleted()
        outer.onCompleted()
        XCTAssertEqual(recorder.events, [])
        place.resume()
        XCTAssertEqual(recorder.events, [.next(3), .completed])
    }

    func testExpandStartsNoStreamDuringAPause() {
        let recorder = watchPausing(Observable.just(0).expand { Observable.just($0 + 1) }.take(100))
        scheduler.start()
        XCTAssertEqual(recorder.elements.count, 1)
        place.resume()
        XCTAssertEqual(recorder.elements.count, 2)
    }

    func testConcatMapEagerHoldsWaitingElementsDuringAPause() {
        let wires = (0..<3).map { _ in Wire<Int>() }
        let recorder = watch(Observable.of(0, 1, 2).concatMapEager(maxConcurrent: 2) { wires[$0].stream })
        wires[1].send(10, 11)
        place.pause()
        wires[0].complete()
        XCTAssertEqual(recorder.elements, [])
        XCTAssertEqual(wires[2].subscriptions, 0)
        wires[1].send(12)
        place.resume()
        XCTAssertEqual(recorder.elements, [10, 11, 12])
        wires[1].complete()
        wires[2].send(20)
        wires[2].complete()
        XCTAssertEqual(recorder.events, [10, 11, 12, 20].map { .next($0) } + [.completed])
    }
}
