import FreshetCore
import FreshetTesting
import XCTest

/// Tests that nothing of a subject is lost while a `concatMap` downstream pauses the operators between them.
final class HotSourceTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)

    /// The elements that leave a slow `concatMap` over `stream`, after `send` has run at once.
    private func slowly<Element: Sendable>(_ stream: Observable<Element>, _ send: () -> Void = {}) -> [Element] {
        let recorder = Recorder<Element>()
        let subscription = stream.concatMap { [scheduler] element in
            Observable.just(element).delay(.seconds(1), scheduler: scheduler)
        }.subscribe(recorder)
        send()
        scheduler.advanceBy(30)
        subscription.dispose()
        scheduler.start()
        return recorder.elements
    }

    func testWindowsOfASubjectThatFollowOneAnotherLoseNothing() {
        for inTurn in [{ $0.concat() }, { $0.merge(maxConcurrent: 2) }]
            as [@Sendable (Observable<Observable<Int>>) -> Observable<Int>]
        {
            let subject = PublishSubject<Int>()
            let windows = subject.window(timeSpan: .seconds(100), count: 2, scheduler: scheduler)
            XCTAssertEqual(slowly(inTurn(windows)) { for number in 1...6 { subject.onNext(number) } }, Array(1...6))
        }
    }

    func testWindowsWhoseElementsBecomeStreamsLoseNothingWhileTheyWaitForOneAnother() {
        let parts: [@Sendable (Observable<Int>) -> Observable<Int>] = [
            { $0.concatMap { Observable.of($0) } },
            { $0.toArray().asObservable().concatMap { Observable.from($0) } },
            { $0.concat(Observable.empty()) }, { .catch(sequence: [$0, .just(0)]) },
            { Observable.empty().ifEmpty(switchTo: $0) },
        ]
        for part in parts {
            let subject = PublishSubject<Int>()
            let windows = subject.window(timeSpan: .seconds(100), count: 2, scheduler: scheduler)
            XCTAssertEqual(
                slowly(windows.concatMap(part)) { for number in 1...8 { subject.onNext(number) } }, Array(1...8))
        }
    }

    func testWindowsThatWaitForOneAnotherEndWithTheirSubscriber() {
        let subject = PublishSubject<Int>()
        let windows = subject.window(timeSpan: .seconds(100), count: 2, scheduler: scheduler)
        let chain = windows.concatMap { $0.concatMap { Observable.of($0, $0) } }
        let subscription = chain.concatMap { _ in Observable<Int>.never() }.subscribe()
        for number in 1...8 { subject.onNext(number) }
        XCTAssertTrue(subject.hasObservers)
        subscription.dispose()
        XCTAssertFalse(subject.hasObservers)
    }

    func testGroupsOfASubjectThatFollowOneAnotherLoseNothing() {
        let subject = PublishSubject<Int>()
        let pairs = subject.groupBy { ($0 - 1) / 2 }.concatMap { $0.take(2) }
        XCTAssertEqual(slowly(pairs) { for number in 1...6 { subject.onNext(number) } }, Array(1...6))
    }

    func testARetriedSubjectLosesNothing() {
        let subject = PublishSubject<Int>()
        let retried = subject.do(onNext: { if $0 == 2 { throw Fault.first } }).retry()
        XCTAssertEqual(slowly(retried) { for number in 1...6 { subject.onNext(number) } }, [1, 3, 4, 5, 6])
    }

    func testASubjectThatFollowsAnotherStreamLosesNothing() {
        let subject = PublishSubject<Int>()
        let following = subject.take(1).map { -$0 }.concat(subject)
        XCTAssertEqual(slowly(following) { for number in 1...6 { subject.onNext(number) } }, [-1, 2, 3, 4, 5, 6])
    }

    func testPartsOfASharedSubjectFollowOneAnotherToTheEnd() {
        let subject = PublishSubject<Int>()
        let pair = subject.share().take(2)
        let parts = Observable.concat([pair, pair, pair])
        XCTAssertEqual(slowly(parts) { for number in 1...6 { subject.onNext(number) } }, Array(1...6))
    }

    func testElementsThatAStreamStartsWithLoseNothingOfTheSubjectBehindThem() {
        let subject = PublishSubject<Int>()
        XCTAssertEqual(slowly(subject.startWith(1, 2)) { for number in 3...6 { subject.onNext(number) } }, Array(1...6))
    }

    @Sendable
    private static func thrice(_ number: Int) -> Observable<Int> { .of(number, number + 1, number + 2) }

    func testInnerSequencesOfFlatMapDoNotOvertakeOneAnother() {
        let subject = PublishSubject<Int>()
        let flat = subject.flatMap(Self.thrice)
        XCTAssertEqual(
            slowly(flat) { for number in [10, 20, 30] { subject.onNext(number) } },
            [10, 11, 12, 20, 21, 22, 30, 31, 32])
    }

    func testAnInnerStreamOfOneElementDoesNotOvertakeASequence() {
        let subject = PublishSubject<Int>()
        let flat = subject.flatMap { $0 == 20 ? Observable.just($0) : .of($0, $0 + 1, $0 + 2) }
        XCTAssertEqual(
            slowly(flat) { for number in [10, 20, 30] { subject.onNext(number) } }, [10, 11, 12, 20, 30, 31, 32])
    }

    func testFlatMapSubscribesToAHotStreamDuringAPause() {
        let (subject, hot) = (PublishSubject<Int>(), PublishSubject<Int>())
        let flat = subject.flatMap { $0 == 20 ? hot.asObservable() : .of($0, $0 + 1, $0 + 2) }
        let elements = slowly(flat) {
            for number in [10, 20, 30] { subject.onNext(number) }
            hot.onNext(1)
        }
        XCTAssertEqual(elements.sorted(), [1, 10, 11, 12, 30, 31, 32])
    }

    func testAColdStreamThatFollowsAnotherOneWaits() {
        let isStarted = Locked(false)
        let cold = Observable.deferred {
            isStarted.withLock { $0 = true }
            return Observable.just(2)
        }
        let recorder = Recorder<Int>()
        let subject = PublishSubject<Int>()
        let subscription = subject.take(1).concat(cold).concatMap { _ in Observable<Int>.never() }.subscribe(recorder)
        subject.onNext(1)
        XCTAssertFalse(isStarted.withLock { $0 })
        subscription.dispose()
    }

    /// A part of the result can end during the pause, and the next part needs the rest of the source.
    func testTheSourceOfAMulticastWaitsForThePartThatFollows() {
        let parts = Observable.from(1...6).multicast({ PublishSubject<Int>() }) { shared in
            shared.take(2).concat(shared.map { $0 * 10 })
        }
        XCTAssertEqual(slowly(parts), [1, 2, 30, 40, 50, 60])
    }

    func testTheSecondStreamOfAndThenWaitsForAResume() {
        let first = PublishSubject<Never>()
        let recorder = Recorder<Int>()
        let subscription = SerialDisposable()
        subscription.disposable = first.asCompletable().andThen(Observable.just(1)).subscribe(recorder)
        subscription.pause()
        first.onCompleted()
        XCTAssertEqual(recorder.elements, [])
        subscription.resume()
        XCTAssertEqual(recorder.events, [.next(1), .completed])
        subscription.dispose()
    }

    func testAStreamThatWaitsForAResumeIsNotStartedAfterADisposal() {
        struct SendingAtResume: Pausable {
            let send: @Sendable () -> Void

            func dispose() {}
            func pause() {}
            func resume() { send() }
        }
        let first = Observable<Int>.create { observer in SendingAtResume { observer.onNext(1) } }
        let second = ControlledSource<Int>()
        let isStarted = Locked(false)
        let following = Observable<Int>.deferred {
            isStarted.withLock { $0 = true }
            return .just(3)
        }
        let subscription = SerialDisposable()
        let recorder = Recorder<Int> { _ in subscription.dispose() }
        subscription.disposable = Observable.merge(first, second.stream.concat(following)).subscribe(recorder)
        subscription.pause()
        second.complete()
        subscription.resume()
        XCTAssertEqual(recorder.elements, [1])
        XCTAssertFalse(isStarted.withLock { $0 })
    }

    func testARetriedSubjectWithATriggerLosesNothing() {
        let subject = PublishSubject<Int>()
        let retried = subject.do(onNext: { if $0 == 2 { throw Fault.first } }).retry(when: { $0 })
        XCTAssertEqual(slowly(retried) { for number in 1...4 { subject.onNext(number) } }, [1, 3, 4])
    }

    /// The source can feed the rest of the result in another way.
    func testTheSourceOfAMulticastGoesOnAfterThePauseWithoutMembers() {
        let side = PublishSubject<Int>()
        let parts = Observable.from(1...4).do(onNext: { side.onNext($0 * 10) })
            .multicast({ PublishSubject<Int>() }) { shared in .merge(shared.take(1), side.asObservable()) }
        XCTAssertEqual(slowly(parts), [10, 1, 20, 30, 40])
    }
}
