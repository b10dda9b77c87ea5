import FreshetCore
import FreshetTesting
import XCTest

/// Tests hot streams that wait in `concat` and `merge(maxConcurrent:)`. They lose nothing if a pause, or the resume after it, holds
/// up the streams before them.
final class HeldUpWindowTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    private let subscription = SerialDisposable()

    override func tearDown() {
        subscription.dispose()
        scheduler.start()
        super.tearDown()
    }

    /// As in RxSwift, where a stream that has to wait is not subscribed to.
    func testAHotStreamThatArrivesDuringADeliveryWaitsForTheStreamBeforeIt() {
        let (outer, first, second) = (PublishSubject<Observable<Int>>(), PublishSubject<Int>(), PublishSubject<Int>())
        let recorder = Recorder<Int> { event in
            if event.element == 1 {
                outer.onNext(second.asObservable())
                second.onNext(2)
                XCTAssertFalse(second.hasObservers)
            }
        }
        subscription.disposable = outer.concat().subscribe(recorder)
        outer.onNext(first.asObservable())
        first.onNext(1)
        first.onCompleted()
        second.onNext(3)
        XCTAssertEqual(recorder.elements, [1, 3])
    }

    /// The source of the windows belongs to them too, and continues with the first of them that is resumed.
    func testWindowsThatArriveBeforeAResumeIsOverLoseNothing() {
        let subject = PublishSubject<Int>()
        let waiting = Locked<[Int]>([])
        let paused = Observable<Int>.create { observer in
            SendingAtResume {
                var numbers: [Int] = []
                waiting.withLock { swap(&$0, &numbers) }
                for number in numbers { observer.onNext(number) }
            }
        }
        let windows = Observable.merge(subject, paused).window(timeSpan: .seconds(9), count: 1, scheduler: scheduler)
        let recorder = Recorder<Int> { [subscription] in if $0.element == 2 { subscription.pause() } }
        subscription.disposable = windows.concatMap { $0.concat(Observable.empty()) }.subscribe(recorder)
        subscription.pause()
        subject.onNext(1)
        subject.onNext(2)
        subscription.resume()
        waiting.withLock { $0 = [3, 4, 5] }
        subscription.resume()
        XCTAssertEqual(recorder.elements, Array(1...5))
    }

    /// The second stream has ended, but a pause holds its end up until it is resumed too.
    func testAWindowThatArrivesBetweenTheResumesOfTwoStreamsLosesNothing() {
        let (outer, second, third) = (PublishSubject<Observable<Int>>(), PublishSubject<Int>(), PublishSubject<Int>())
        let first = Observable<Int>.create { _ in
            SendingAtResume {
                outer.onNext(third)
                third.onNext(3)
            }
        }
        let recorder = Recorder<Int>()
        subscription.disposable = outer.merge(maxConcurrent: 2).subscribe(recorder)
        outer.onNext(first)
        outer.onNext(second.concat(Observable.empty()))
        subscription.pause()
        second.onCompleted()
        subscription.resume()
        XCTAssertEqual(recorder.elements, [3])
    }

    func testAWindowThatArrivesWithinAnElementDuringAPauseLosesNothing() {
        let (outer, first, second) = (PublishSubject<Observable<Int>>(), PublishSubject<Int>(), PublishSubject<Int>())
        let recorder = Recorder<Int> { event in
            if event.element == 1 {
                outer.onNext(second)
                second.onNext(2)
            }
        }
        subscription.disposable = outer.concat().subscribe(recorder)
        outer.onNext(first)
        subscription.pause()
        first.onNext(1)
        first.onCompleted()
        subscription.resume()
        XCTAssertEqual(recorder.elements, [1, 2])
    }

    func testAWindowThatArrivesWhileAResumeDeliversWaitsForTheElementsThatAnotherPauseHolds() {
        let outer = PublishSubject<Observable<Int>>()
        let (first, second, third) = (PublishSubject<Int>(), PublishSubject<Int>(), PublishSubject<Int>())
        let recorder = Recorder<Int> { [subscription] event in
            if event.element == 1 {
                outer.onNext(third.asObservable())
                third.onNext(3)
                subscription.pause()
            }
        }
        subscription.disposable = outer.concat().subscribe(recorder)
        outer.onNext(first.asObservable())
        subscription.pause()
        outer.onNext(second.asObservable())
        for number in 1...2 { second.onNext(number) }
        second.onCompleted()
        first.onCompleted()
        subscription.resume()
        XCTAssertEqual(recorder.elements, [1])
        subscription.resume()
        third.onNext(4)
        XCTAssertEqual(recorder.elements, Array(1...4))
    }

    func testAHotStreamThatWaitsWhenAPauseBeginsLosesNothingOnceThereIsRoomForIt() {
        let (outer, first, second) = (PublishSubject<Observable<Int>>(), PublishSubject<Int>(), PublishSubject<Int>())
        let recorder = Recorder<Int>()
        subscription.disposable = outer.concat().subscribe(recorder)
        outer.onNext(first)
        outer.onNext(Observable.of(1))
        outer.onNext(second)
        subscription.pause()
        first.onCompleted()
        second.onNext(2)
        subscription.resume()
        second.onNext(3)
        XCTAssertEqual(recorder.elements, [1, 2, 3])
    }
}

private struct SendingAtResume: Pausable {
    let send: @Sendable () -> Void

    func dispose() {}
    func pause() {}
    func resume() { send() }
}
