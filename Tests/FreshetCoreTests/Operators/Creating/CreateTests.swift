import FreshetCore
import XCTest

final class CreateTests: CoreTestCase {
    func testNoEventPassesAfterAStopEvent() {
        let stream = Observable<Int>.create { observer in
            observer.onNext(1)
            observer.onCompleted()
            observer.onNext(2)
            observer.onError(Fault.first)
            return Disposables.create()
        }
        XCTAssertEqual(stream.record().events, [.next(1), .completed])
    }

    func testTheDisposableIsDisposedOfOnceForEachKindOfEnd() {
        let ends = Locked(0)
        let source = ControlledSource<Int>()
        let stream = Observable<Int>.create { observer in
            let inner = source.stream.subscribe(observer)
            return Disposables.create {
                inner.dispose()
                ends.withLock { $0 += 1 }
            }
        }
        for end in [{ source.complete() }, { source.fail() }, {}] as [() -> Void] {
            let subscription = stream.subscribe(Recorder<Int>())
            end()
            subscription.dispose()
            subscription.dispose()
        }
        XCTAssertEqual(ends.withLock { $0 }, 3)
    }

    func testEventsOfEightThreadsAreSerialized() {
        let emitter = Locked<AnyObserver<Int>?>(nil)
        let stream = Observable<Int>.create { observer in
            emitter.withLock { $0 = observer }
            return Disposables.create()
        }
        let recorder = Recorder<Int>()
        let subscription = stream.subscribe(recorder)
        let observer = emitter.withLock { $0 }
        onThreads(8) { number in
            for element in 0..<1000 { observer?.onNext(number * 1000 + element) }
        }
        XCTAssertEqual(recorder.overlaps, 0)
        XCTAssertEqual(recorder.elements.sorted(), Array(0..<8000))
        subscription.dispose()
        observer?.onNext(1)
        XCTAssertEqual(recorder.elements.count, 8000)
        emitter.withLock { $0 = nil }
    }

    func testADisposalInsideTheSubscribingCallDisposesOfTheLaterDisposable() {
        let end = BooleanDisposable()
        let stream = Observable<Int>.create { observer in
            observer.onNext(1)
            return end
        }
        XCTAssertEqual(stream.take(1).record().events, [.next(1), .completed])
        XCTAssertTrue(end.isDisposed)
    }
}
