import Dispatch
import Foundation
import FreshetCore
import XCTest

final class MergeTests: CoreTestCase {
    func testMergedSequencesAlternate() {
        let merged = Observable.merge(.of(1, 2), .of(3, 4)).record()
        XCTAssertEqual(merged.events, [.next(1), .next(3), .next(2), .next(4), .completed])
        XCTAssertEqual(Observable.of(Observable.of(1, 2), .of(3, 4)).merge().record().elements.sorted(), [1, 2, 3, 4])
        XCTAssertEqual(Observable<Int>.merge([]).record().events, [.completed])
    }

    func testFlatMapCompletesWhenTheSourceAndAllInnerStreamsHaveCompleted() {
        let outer = ControlledSource<Int>(), inner = ControlledSource<String>()
        let recorder = Recorder<String>()
        let subscription = outer.stream.flatMap { number in inner.stream.map { "\(number)\($0)" } }.subscribe(recorder)
        outer.send(1, 2)
        inner.send("a")
        outer.complete()
        inner.send("b")
        XCTAssertEqual(recorder.elements, ["1a", "2a", "1b", "2b"])
        XCTAssertFalse(recorder.hasCompleted)
        inner.complete()
        XCTAssertTrue(recorder.hasCompleted)
        subscription.dispose()
    }

    func testAnErrorOfAnyStreamOrOfTheSelectorEndsAllOthers() {
        let outer = ControlledSource<Int>(), inner = ControlledSource<Int>()
        for fail in [{ inner.fail() }, { outer.fail() }, { outer.send(7) }] as [@Sendable () -> Void] {
            let recorder = Recorder<Int>()
            let subscription = outer.stream.flatMap { number in
                if number == 7 { throw Fault.first }
                return inner.stream
            }.subscribe(recorder)
            outer.send(1, 2)
            fail()
            XCTAssertEqual(recorder.events, [.error(Fault.first)])
            XCTAssertEqual([outer.observers, inner.observers], [0, 0])
            subscription.dispose()
        }
    }

    func testADisposalInsideAnElementStopsAllStreams() {
        let outer = ControlledSource<Int>(), inner = ControlledSource<Int>()
        let subscription = SerialDisposable()
        let recorder = Recorder<Int> { _ in subscription.dispose() }
        subscription.disposable = outer.stream.flatMap { _ in inner.stream }.subscribe(recorder)
        outer.send(1, 2)
        inner.send(3)
        XCTAssertEqual(recorder.events, [.next(3)])
        XCTAssertEqual([outer.observers, inner.observers], [0, 0])
    }

    func testAnElementSentInsideAnElementIsDeliveredAfterIt() {
        let source = ControlledSource<Int>()
        let recorder = Recorder<Int> { if let element = $0.element, element < 4 { source.send(element + 1) } }
        let subscription = source.stream.flatMap { Observable.of($0) }.subscribe(recorder)
        source.send(1)
        XCTAssertEqual(recorder.elements, [1, 2, 3, 4])
        XCTAssertEqual(recorder.overlaps, 0)
        subscription.dispose()
    }

    func testAnElementSentInsideASynchronousInnerStreamKeepsItsOrder() {
        let inner = ControlledSource<Int>()
        let recorder = Recorder<Int> { if $0.element == 1 { inner.send(2) } }
        let outer = Observable.just(0).flatMap { _ in
            Observable<Int>.create { observer in
                let subscription = inner.stream.subscribe(observer)
                observer.onNext(1)
                observer.onNext(3)
                return subscription
            }
        }
        outer.subscribe(recorder).dispose()
        XCTAssertEqual(recorder.elements, [1, 2, 3])
        XCTAssertEqual(recorder.overlaps, 0)
    }

    func testInfiniteInnerStreamsStopAtTake() {
        XCTAssertEqual(Observable.from(0...).flatMap { Observable.just($0) }.take(3).record().elements, [0, 1, 2])
        XCTAssertEqual(Observable.just(0).flatMap { _ in Observable.from(0...) }.take(3).record().elements, [0, 1, 2])
        XCTAssertEqual(Observable.from(0...).concatMap { Observable.just($0) }.take(3).record().elements, [0, 1, 2])
        XCTAssertEqual(
            Observable.just(0).concatMap { _ in Observable.from(0...) }.take(3).record().elements, [0, 1, 2])
    }

    func testElementsOfEightThreadsAreMergedSeriallyWithoutLoss() {
        let sources = (0..<8).map { _ in ControlledSource<Int>() }
        let recorder = Recorder<Int>()
        let subscription = Observable.merge(sources.map(\.stream)).subscribe(recorder)
        onThreads(8) { number in
            for element in 0..<1000 { sources[number].send(number * 1000 + element) }
            sources[number].complete()
        }
        XCTAssertEqual(recorder.elements.sorted(), Array(0..<8000))
        XCTAssertEqual(recorder.overlaps, 0)
        XCTAssertTrue(recorder.hasCompleted)
        for number in 0..<8 {
            let own = recorder.elements.filter { $0 / 1000 == number }
            XCTAssertEqual(own, own.sorted())
        }
        subscription.dispose()
    }

    func testConcatMapRunsOneStreamAtATimeAndPausesTheSource() {
        let outer = ControlledSource<Int>(), inners = [ControlledSource<String>(), ControlledSource<String>()]
        let recorder = Recorder<String>()
        let subscription = outer.stream.concatMap { inners[$0].stream }.subscribe(recorder)
        outer.send(0, 1)
        XCTAssertEqual(outer.log.first, "pause")
        XCTAssertEqual(inners.map(\.observers), [1, 0])
        inners[1].send("lost")
        inners[0].send("a")
        inners[0].complete()
        XCTAssertEqual(inners.map(\.observers), [0, 1])
        inners[1].send("b")
        outer.complete()
        inners[1].complete()
        XCTAssertEqual(recorder.events, [.next("a"), .next("b"), .completed])
        subscription.dispose()
    }

    func testTheSourceIsResumedWhenAnInnerStreamCompletes() {
        let outer = ControlledSource<Int>(), inner = ControlledSource<Int>()
        let subscription = outer.stream.map { _ in inner.stream }.merge(maxConcurrent: 2).subscribe(Recorder<Int>())
        outer.send(1)
        XCTAssertEqual(outer.log, [])
        outer.send(2)
        XCTAssertEqual(outer.log, ["pause"])
        inner.complete()
        XCTAssertEqual(outer.log.last, "resume")
        subscription.dispose()
    }

    func testConcatMapReadsItsSourceOnlyAsInnerStreamsComplete() {
        let inner = ControlledSource<Int>()
        let reads = Locked(0)
        let numbers = sequence(state: 0) { (state: inout Int) -> Int? in
            reads.withLock { $0 += 1 }
            state += 1
            return state
        }
        let subscription = Observable.from(numbers).concatMap { _ in inner.stream }.subscribe(Recorder<Int>())
        XCTAssertEqual(reads.withLock { $0 }, 1)
        inner.complete()
        XCTAssertEqual(reads.withLock { $0 }, 2)
        subscription.dispose()
    }

    func testAPauseReachesAllSources() {
        let outer = ControlledSource<Int>(), inner = ControlledSource<Int>()
        let subscription = SerialDisposable()
        subscription.disposable = outer.stream.flatMap { _ in inner.stream }.subscribe(Recorder<Int>())
        outer.send(1)
        subscription.pause()
        outer.send(2)
        subscription.resume()
        XCTAssertEqual(outer.log, ["pause", "resume"])
        XCTAssertEqual(inner.log, ["pause", "resume"], "the second stream starts at the resume")
        XCTAssertEqual(inner.subscriptions, 2)
        subscription.dispose()
    }

    func testASourceStaysPausedUntilTheObserverAndTheLimitAllowIt() {
        let outer = ControlledSource<Int>(), inner = ControlledSource<Int>()
        let subscription = SerialDisposable()
        subscription.disposable = outer.stream.concatMap { _ in inner.stream }.subscribe(Recorder<Int>())
        outer.send(1)
        subscription.pause()
        inner.complete()
        XCTAssertFalse(outer.log.contains("resume"))
        subscription.resume()
        XCTAssertEqual(outer.log.last, "resume")
        subscription.dispose()
    }

    func testALongQueueOfWaitingStreamsDoesNotDeepenTheStack() {
        onASmallStack {
            let outer = ControlledSource<Int>(), gate = ControlledSource<Int>()
            let recorder = Recorder<Int>()
            let subscription = outer.stream.concatMap { $0 == 0 ? gate.stream : Observable.just($0) }
                .reduce(0) { count, _ in count + 1 }.subscribe(recorder)
            for number in 0...100_000 { outer.send(number) }
            outer.complete()
            gate.complete()
            XCTAssertEqual(recorder.events, [.next(100_000), .completed])
            subscription.dispose()
        }
    }

    func testConcatMapCallsItsSelectorWhenAnElementArrives() {
        let outer = ControlledSource<Int>()
        let calls = Locked<[Int]>([])
        let recorder = Recorder<Int>()
        let subscription = outer.stream.concatMap { number in
            calls.withLock { $0.append(number) }
            return Observable<Int>.never()
        }.subscribe(recorder)
        outer.send(1, 2, 3)
        XCTAssertEqual(calls.withLock { $0 }, [1, 2, 3])
        subscription.dispose()
    }

    /// A stream that follows an event at once must find its observers.
    func testAllStreamsAreSubscribedToWhenTheCallReturns() {
        let (isEntered, mayContinue, isDone) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let first = Observable<Int>.create { observer in
            Thread.detachNewThread {
                observer.onNext(1)
                isDone.signal()
            }
            isEntered.wait()
            return Disposables.create()
        }
        let second = PublishSubject<Int>()
        let numbers = Locked<[Int]>([])
        let subscription = Observable.merge(first, second.asObservable()).subscribe(onNext: { number in
            if number == 1 {
                isEntered.signal()
                mayContinue.wait()
            }
            numbers.withLock { $0.append(number) }
        })
        XCTAssertTrue(second.hasObservers)
        second.onNext(2)
        mayContinue.signal()
        isDone.wait()
        XCTAssertEqual(numbers.withLock { $0 }, [1, 2])
        subscription.dispose()
    }

    /// A stream may read a file in its subscribing call, for example.
    func testAStreamThatEmitsInItsSubscribingCallDoesNotHoldUpTheOthers() {
        let subject = PublishSubject<Int>()
        let received = DispatchSemaphore(value: 0)
        let blocking = Observable<Int>.create { observer in
            Thread.detachNewThread { subject.onNext(1) }
            observer.onNext(received.wait(timeout: .now() + 20) == .success ? 2 : 0)
            _ = received.wait(timeout: .now() + 20)
            return Disposables.create()
        }
        let numbers = Locked<[Int]>([])
        let subscription = Observable.merge(subject.asObservable(), blocking).subscribe(onNext: { number in
            numbers.withLock { $0.append(number) }
            received.signal()
        })
        XCTAssertEqual(numbers.withLock { $0 }, [1, 2])
        subscription.dispose()
    }
}
