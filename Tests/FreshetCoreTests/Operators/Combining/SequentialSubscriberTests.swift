import FreshetCore
import XCTest

/// Tests the common behaviour of the operators that run one source after the other.
final class SequentialSubscriberTests: CoreTestCase {
    func testAnEndedSourceStopsBeforeTheNextOneStarts() {
        let endless = Observable.from(0..., scheduler: ImmediateScheduler.instance)
        XCTAssertEqual(
            endless.take(2).concat(Observable.just(7)).record().events, [.next(0), .next(1), .next(7), .completed])
        let failing = endless.map { if $0 == 2 { throw Fault.first } else { $0 } }
        XCTAssertEqual(failing.catchAndReturn(7).record().elements, [0, 1, 7])
        XCTAssertEqual(failing.retry(2).record().events.count, 5)
    }

    // The first subscription ends before, so that the shared stream disconnects and forgets its element.
    func testTheNextSourceOfASharedStreamConnectsAnew() {
        let source = PublishSubject<Int>(), recorder = Recorder<Int>()
        let shared = source.share(replay: 1)
        let subscription = shared.take(1).concat(shared.take(1)).subscribe(recorder)
        source.onNext(1)
        XCTAssertEqual(recorder.events, [.next(1)])
        source.onNext(2)
        XCTAssertEqual(recorder.events, [.next(1), .next(2), .completed])
        subscription.dispose()
    }

    func testNestedSequentialOperatorsKeepTheirOrder() {
        let inner = Observable.of(2).concat(Observable<Int>.error(Fault.first)).catchAndReturn(3).startWith(1)
        let outer = inner.concat(Observable.of(4)).concat(Observable.error(Fault.second)).catchAndReturn(5)
        XCTAssertEqual(outer.concat(Observable.of(6)).record().elements, [1, 2, 3, 4, 5, 6])
        let nested = Observable.concat(.concat(.of(1), .concat([])), .empty(), .concat(.of(2), .of(3)))
        XCTAssertEqual(nested.record().events, [.next(1), .next(2), .next(3), .completed])
    }

    func testAnErrorPassesOperatorsThatDoNotCatchIt() {
        let second = ControlledSource<Int>()
        let inner = Observable<Int>.error(Fault.first).concat(second.stream).startWith(1)
        XCTAssertEqual(inner.concat(second.stream).record().events, [.next(1), .error(Fault.first)])
        XCTAssertEqual(second.subscriptions, 0)
        let handled = inner.catch { error in .just((error as? Fault) == .first ? 2 : 3) }
        XCTAssertEqual(handled.record().elements, [1, 2])
    }

    func testAnErrorOfAHandlerReachesTheOuterHandler() {
        let stream = Observable<Int>.error(Fault.first).catch { _ in throw Fault.second }.catch {
            .just(($0 as? Fault) == .second ? 2 : 1)
        }
        XCTAssertEqual(stream.record().events, [.next(2), .completed])
        let twice = Observable<Int>.error(Fault.first).catch { _ in .error(Fault.second) }
        XCTAssertEqual(twice.record().events, [.error(Fault.second)])
        XCTAssertEqual(twice.retry(2).record().events, [.error(Fault.second)])
    }

    func testRetryInsideAConcatRepeatsOnlyItsOwnSource() {
        let tries = Counter()
        let shaky = Observable<Int>.deferred { tries.increment() < 3 ? .error(Fault.first) : .just(3) }
        XCTAssertEqual(
            Observable.of(1).concat(shaky.retry()).concat(Observable.of(4)).record().events,
            [.next(1), .next(3), .next(4), .completed])
        XCTAssertEqual(tries.value, 3)
    }

    func testADisposalInsideAHandlerStartsNoSource() {
        let input = ControlledSource<Int>()
        let subscription = SerialDisposable()
        let source = ControlledSource<Int>()
        subscription.disposable = source.stream.catch { _ in
            subscription.dispose()
            return input.stream
        }.subscribe(Recorder<Int>())
        source.fail()
        XCTAssertEqual(input.subscriptions, 0)
    }

    func testAPauseReachesTheSourceOfTheInnermostOperator() {
        let source = ControlledSource<Int>()
        let subscription = SerialDisposable()
        subscription.disposable = source.stream.startWith(1).catchAndReturn(0).concat(Observable.of(2)).retry()
            .subscribe(Recorder<Int>())
        subscription.pause()
        subscription.resume()
        subscription.dispose()
        XCTAssertEqual(source.log, ["pause", "resume", "dispose"])
    }

    func testTheNextSourceFollowsASourceOfAnotherThread() {
        for _ in 0..<200 {
            let stream = Observable<Int>.create { observer in
                onThreads(1) { _ in
                    observer.onNext(1)
                    observer.onCompleted()
                }
                return Disposables.create()
            }
            let later = Observable<Int>.create { observer in
                let thread = Thread { observer.onCompleted() }
                thread.start()
                return Disposables.create()
            }
            let done = DispatchSemaphore(value: 0)
            let recorder = Recorder<Int> { if $0.isStopEvent { done.signal() } }
            let subscription = later.concat(stream.concat(later)).concat(stream).subscribe(recorder)
            XCTAssertEqual(done.wait(timeout: .now() + 30), .success)
            XCTAssertEqual(recorder.events, [.next(1), .next(1), .completed])
            subscription.dispose()
        }
    }
}
