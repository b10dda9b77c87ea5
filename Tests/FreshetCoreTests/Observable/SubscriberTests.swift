import FreshetCore
import XCTest

final class SubscriberTests: CoreTestCase {
    func testNoEventPassesAfterTheDisposal() {
        let source = ControlledSource<Int>()
        let recorder = Recorder<Int>()
        let subscription = source.stream.subscribe(recorder)
        source.send(1)
        subscription.dispose()
        source.send(2)
        source.complete()
        XCTAssertEqual(recorder.events, [.next(1)])
        XCTAssertEqual(source.log, ["dispose"])
    }

    func testAStopEventDisposesOfTheSource() {
        for stop in [Event<Int>.completed, .error(Fault.first)] {
            let source = ControlledSource<Int>()
            let recorder = Recorder<Int>()
            let subscription = source.stream.subscribe(recorder)
            source.send(stop)
            XCTAssertEqual(recorder.events, [stop])
            XCTAssertEqual(source.log, ["dispose"])
            subscription.dispose()
        }
    }

    func testOnDisposedIsCalledOnceForEachKindOfEnd() {
        let log = Locked<[String]>([])
        let note: @Sendable (String) -> Void = { line in log.withLock { $0.append(line) } }
        func subscribe(to stream: Observable<Int>) -> any Disposable {
            stream.subscribe(
                onNext: { note("\($0)") }, onError: { note("\($0)") }, onCompleted: { note("completed") },
                onDisposed: { note("disposed") })
        }
        subscribe(to: .just(1)).dispose()
        subscribe(to: .error(Fault.first)).dispose()
        subscribe(to: .never()).dispose()
        XCTAssertEqual(log.withLock { $0 }, ["1", "completed", "disposed", "first", "disposed", "disposed"])
    }

    func testADisposalInsideAnElementStopsASynchronousSource() {
        let subscription = SerialDisposable()
        let recorder = Recorder<Int> { if $0.element == 3 { subscription.dispose() } }
        let stream = Observable<Int>.create { observer in
            for number in 0..<10 { observer.onNext(number) }
            return Disposables.create()
        }
        _ = CurrentThreadScheduler.instance.schedule(()) { _ in
            subscription.disposable = Observable.from(0...).subscribe(recorder)
            return Disposables.create()
        }
        XCTAssertEqual(recorder.elements, [0, 1, 2, 3])
        XCTAssertEqual(stream.take(4).record().elements, [0, 1, 2, 3])
    }

    func testAPauseReachesTheSourceThroughLinearOperators() {
        let source = ControlledSource<Int>()
        let subscription = SerialDisposable()
        subscription.disposable = source.stream.map { $0 }.filter { _ in true }.scan(0, accumulator: +).take(5).skip(1)
            .distinctUntilChanged().reduce(0, accumulator: +).subscribe(Recorder<Int>())
        subscription.pause()
        subscription.resume()
        subscription.dispose()
        XCTAssertEqual(source.log, ["pause", "resume", "dispose"])
    }
}
