import FreshetCore
import FreshetTesting
import XCTest

/// Tests operators whose sources come from one subject or one shared stream. The order of the subscriptions decides the result.
final class DiamondSemanticsTests: CoreTestCase {
    private let subject = PublishSubject<Int>()

    /// The events of `stream` while the subject sends 1, 2 and 3 and completes.
    private func events(_ stream: Observable<Int>) -> [Event<Int>] {
        let recorder = Recorder<Int>()
        let subscription = stream.subscribe(recorder)
        for number in 1...3 { subject.onNext(number) }
        subject.onCompleted()
        subscription.dispose()
        return recorder.events
    }

    func testCombineLatestOfASubjectWithItselfEmitsAResultPerObserver() {
        XCTAssertEqual(
            events(.combineLatest(subject, subject.map { $0 * 10 }) { $0 + $1 }),
            [.next(11), .next(12), .next(22), .next(23), .next(33), .completed])
    }

    func testZipOfASubjectWithItselfPairsEqualElements() {
        XCTAssertEqual(
            events(.zip(subject, subject.map { $0 * 10 }) { $0 + $1 }), [.next(11), .next(22), .next(33), .completed])
    }

    func testZipOfASubjectWithItselfSkippedByOnePairsNeighbours() {
        XCTAssertEqual(
            events(.zip(subject, subject.skip(1)) { $0 * 10 + $1 }), [.next(12), .next(23), .completed])
    }

    func testWithLatestFromItselfPairsEqualElements() {
        XCTAssertEqual(
            events(subject.withLatestFrom(subject) { $0 * 10 + $1 }), [.next(11), .next(22), .next(33), .completed])
    }

    func testSkipUntilItselfDropsTheFirstElement() {
        XCTAssertEqual(events(subject.skip(until: subject)), [.next(2), .next(3), .completed])
    }

    func testTakeUntilItselfEndsBeforeTheFirstElement() {
        XCTAssertEqual(events(subject.take(until: subject)), [.completed])
    }

    func testTakeUntilItselfSkippedByOneKeepsTheFirstElement() {
        XCTAssertEqual(events(subject.take(until: subject.skip(1))), [.next(1), .completed])
    }

    func testSampleOfItselfEmitsEachElement() {
        XCTAssertEqual(events(subject.sample(subject)), [.next(1), .next(2), .next(3), .completed])
    }

    func testMergeOfASubjectWithItselfEmitsEachElementTwice() {
        XCTAssertEqual(
            events(.merge(subject.asObservable(), subject.map { $0 * 10 })).compactMap(\.element),
            [1, 10, 2, 20, 3, 30])
    }

    func testAmbOfASubjectWithItselfChoosesTheFirst() {
        XCTAssertEqual(
            events(.amb([subject.map { $0 * 10 }, subject.asObservable()])),
            [.next(10), .next(20), .next(30), .completed])
    }

    func testFlatMapIntoTheSameSubjectReceivesLaterElements() {
        XCTAssertEqual(events(subject.flatMap { [subject] _ in subject }).compactMap(\.element), [2, 3, 3])
    }

    func testFlatMapLatestIntoTheSameSubjectEmitsNothing() {
        XCTAssertEqual(events(subject.flatMapLatest { [subject] _ in subject }), [.completed])
    }

    func testASharedSequenceReachesAllObserversOfTheSameTurn() {
        let shared = Observable.of(1, 2).share()
        XCTAssertEqual(
            Observable.combineLatest(shared, shared) { $0 * 10 + $1 }.record().events,
            [.next(11), .next(21), .next(22), .completed])
        XCTAssertEqual(
            Observable.zip(shared, shared.skip(1)) { $0 * 10 + $1 }.record().events, [.next(12), .completed])
    }

    func testASharedSynchronousSourceEndsBeforeTheSecondObserverSubscribes() {
        let starts = Log<Int>()
        let shared = Observable.just(1).do(onSubscribe: { starts.append(1) }).share(replay: 1)
        XCTAssertEqual(
            Observable.combineLatest(shared, shared) { $0 + $1 }.record().events, [.next(2), .completed])
        XCTAssertEqual(starts.all.count, 2)
    }

    func testTheValueOfABehaviorSubjectReachesBothSourcesOfCombineLatest() {
        let subject = BehaviorSubject(value: 1)
        let recorder = Recorder<Int>()
        let subscription = Observable.combineLatest(subject, subject) { $0 * 10 + $1 }.subscribe(recorder)
        subject.onNext(2)
        XCTAssertEqual(recorder.elements, [11, 21, 22])
        subscription.dispose()
    }

    func testAnObserverThatAnotherDisposesOfInsideAnElementDoesNotReceiveIt() {
        let subscription = SerialDisposable(), second = Recorder<Int>()
        let first = subject.subscribe(onNext: { _ in subscription.dispose() })
        subscription.disposable = subject.subscribe(second)
        subject.onNext(1)
        XCTAssertEqual(second.events, [])
        first.dispose()
    }

    func testACompletionSentInsideAnElementFollowsItForAllObservers() {
        let first = Recorder<Int> { [subject] in if $0.element == 1 { subject.onCompleted() } },
            second = Recorder<Int>()
        let subscriptions = [subject.subscribe(first), subject.subscribe(second)]
        subject.onNext(1)
        subject.onNext(2)
        XCTAssertEqual([first.events, second.events], [[.next(1), .completed], [.next(1), .completed]])
        for subscription in subscriptions { subscription.dispose() }
    }
}
