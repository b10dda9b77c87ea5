import FreshetCore
import XCTest

final class SubjectTests: CoreTestCase {
    func testAPublishSubjectEmitsOnlyElementsAfterTheSubscription() {
        let subject = PublishSubject<Int>()
        let log = Log<Event<Int>>()
        XCTAssertFalse(subject.hasObservers)
        subject.onNext(1)
        let subscription = subject.subscribe { log.append($0) }
        XCTAssertTrue(subject.hasObservers)
        subject.onNext(2)
        subject.onNext(3)
        subscription.dispose()
        XCTAssertFalse(subject.hasObservers)
        subject.onNext(4)
        XCTAssertEqual(log.all, [.next(2), .next(3)])
    }

    func testAStopEventReachesLaterObservers() {
        let subjects: [any Probe] = [
            PublishSubject<Int>(), BehaviorSubject(value: 0), ReplaySubject<Int>.create(bufferSize: 2),
            ReplaySubject<Int>.createUnbounded(), AsyncSubject<Int>(),
        ]
        let expected: [[Event<Int>]] = [
            [.completed], [.completed], [.next(2), .next(3), .completed], [.next(1), .next(2), .next(3), .completed],
            [.next(3), .completed],
        ]
        for (subject, expected) in zip(subjects, expected) {
            let early = Log<Event<Int>>()
            let late = Log<Event<Int>>()
            _ = subject.observe { early.append($0) }
            for element in 1...3 { subject.send(.next(element)) }
            subject.send(.completed)
            subject.send(.next(4))
            subject.send(.error(TestError()))
            XCTAssertFalse(subject.hasObservers)
            _ = subject.observe { late.append($0) }
            XCTAssertEqual(late.all, expected, "\(type(of: subject))")
            XCTAssertEqual(early.all.last, .completed)
            XCTAssertFalse(subject.hasObservers)
        }
    }

    func testADisposedSubjectFailsNewObservers() {
        let subjects: [any Probe] = [
            PublishSubject<Int>(), BehaviorSubject(value: 0), ReplaySubject<Int>.createUnbounded(), AsyncSubject<Int>(),
        ]
        for subject in subjects {
            let early = Log<Event<Int>>()
            let late = Log<Event<Int>>()
            let subscription = subject.observe { early.append($0) }
            subject.dispose()
            XCTAssertTrue(subject.isDisposed)
            XCTAssertFalse(subject.hasObservers)
            subject.send(.next(7))
            _ = subject.observe { late.append($0) }
            XCTAssertFalse(early.all.contains(.next(7)))
            XCTAssertEqual(late.all.count, 1)
            guard case .disposed? = late.all.first?.error as? RxError else { return XCTFail("\(late.all)") }
            subscription.dispose()
        }
    }

    func testABehaviorSubjectReturnsItsCurrentValue() throws {
        let subject = BehaviorSubject(value: 1)
        XCTAssertEqual(try subject.value(), 1)
        subject.onNext(2)
        XCTAssertEqual(try subject.value(), 2)
        let log = Log<Event<Int>>()
        _ = subject.subscribe { log.append($0) }
        subject.onError(TestError())
        XCTAssertEqual(log.all, [.next(2), .error(TestError())])
        XCTAssertThrowsError(try subject.value()) { XCTAssertEqual($0 as? TestError, TestError()) }
        subject.dispose()
        XCTAssertThrowsError(try subject.value()) { XCTAssertNotNil($0 as? RxError) }
    }

    func testAnObserverThatSubscribesInsideOnNextReceivesTheCurrentValueOnce() {
        let subject = BehaviorSubject(value: 0)
        let outer = Log<Int>()
        let inner = Log<Int>()
        _ = subject.subscribe(onNext: { element in
            outer.append(element)
            guard element == 1 else { return }
            subject.onNext(2)
            XCTAssertEqual(try? subject.value(), 2)
            _ = subject.subscribe(onNext: { inner.append($0) })
            XCTAssertEqual(inner.all, [2])
            subject.onNext(3)
        })
        subject.onNext(1)
        XCTAssertEqual(outer.all, [0, 1, 2, 3])
        XCTAssertEqual(inner.all, [2, 3])
        subject.onCompleted()
    }

    func testAnElementSentInsideOnNextReachesAllObserversAfterwards() {
        let subject = PublishSubject<Int>()
        let first = Log<Int>()
        let second = Log<Int>()
        _ = subject.subscribe(onNext: { element in
            first.append(element)
            if element < 3 { subject.onNext(element + 1) }
        })
        _ = subject.subscribe(onNext: { second.append($0) })
        subject.onNext(1)
        XCTAssertEqual(first.all, [1, 2, 3])
        XCTAssertEqual(second.all, [1, 2, 3])
        subject.onCompleted()
    }

    func testAnObserverDisposedOfInsideOnNextReceivesNothing() {
        let subject = PublishSubject<Int>()
        let log = Log<Int>()
        let other = SerialDisposable()
        _ = subject.subscribe(onNext: { element in
            other.dispose()
            if element == 1 { subject.onNext(2) }
        })
        other.disposable = subject.subscribe(onNext: { log.append($0) })
        subject.onNext(1)
        XCTAssertEqual(log.all, [])
        subject.onCompleted()
    }

    func testAReleasedSubjectReleasesItsObservers() {
        var subject: PublishSubject<Int>? = PublishSubject()
        weak var held: Log<Int>?
        do {
            let log = Log<Int>()
            held = log
            _ = subject?.subscribe(onNext: { log.append($0) })
        }
        XCTAssertNotNil(held)
        subject = nil
        XCTAssertNil(held)
    }

    func testElementsOfEightThreadsAreDeliveredSeriallyAndInOrder() {
        let subject = PublishSubject<(thread: Int, number: Int)>()
        let seen = Tally()
        let subscription = subject.subscribe(onNext: { seen.take($0) })
        onThreads(8) { thread in
            for number in 0..<5_000 { subject.onNext((thread, number)) }
        }
        XCTAssertEqual(seen.count, 40_000)
        XCTAssertTrue(seen.isOrdered)
        subscription.dispose()
    }

    func testAnObserverOfAnEmittingSubjectMissesNothingAfterItsFirstElement() {
        let subject = BehaviorSubject(value: 0)
        let replay = ReplaySubject<Int>.create(bufferSize: 3)
        onThreads(4) { thread in
            if thread == 0 {
                for number in 1...20_000 {
                    subject.onNext(number)
                    replay.onNext(number)
                }
                return
            }
            for _ in 0..<200 {
                let log = Log<Int>()
                let other = Log<Int>()
                let subscription = subject.subscribe(onNext: { log.append($0) })
                let second = replay.subscribe(onNext: { other.append($0) })
                subscription.dispose()
                second.dispose()
                let numbers = log.all
                XCTAssertEqual(numbers, numbers.first.map { Array($0..<($0 + numbers.count)) })
                let others = other.all
                XCTAssertEqual(others, others.first.map { Array($0..<($0 + others.count)) } ?? [])
            }
        }
    }

    func testCompletingManyObserversTakesLinearTime() {
        func time(_ count: Int) -> Duration {
            // The test takes the least of several times, because the machine may be busy.
            let times = (0..<5).map { _ in
                let subject = PublishSubject<Int>()
                for _ in 0..<count { _ = subject.subscribe() }
                return ContinuousClock().measure { subject.onCompleted() }
            }
            return times.min()!
        }
        XCTAssertLessThan(time(40_000), max(time(4000), .milliseconds(10)) * 40)
    }
}

/// The common interface of the four subjects.
private protocol Probe: Cancelable {
    var hasObservers: Bool { get }
    func send(_ event: Event<Int>)
    func observe(_ handler: @escaping @Sendable (Event<Int>) -> Void) -> any Disposable
}

extension Probe where Self: Observable<Int>, Self: ObserverType, Self.Element == Int {
    fileprivate func send(_ event: Event<Int>) { on(event) }
    fileprivate func observe(_ handler: @escaping @Sendable (Event<Int>) -> Void) -> any Disposable {
        subscribe(handler)
    }
}

extension PublishSubject<Int>: Probe {}
extension BehaviorSubject<Int>: Probe {}
extension ReplaySubject<Int>: Probe {}
extension AsyncSubject<Int>: Probe {}

/// Counts without a lock. The count is right only if no other thread counts at the same time.
private final class Tally: @unchecked Sendable {
    var count = 0
    var isOrdered = true
    private var latest: [Int: Int] = [:]

    func take(_ element: (thread: Int, number: Int)) {
        count += 1
        if let last = latest[element.thread], last + 1 != element.number { isOrdered = false }
        latest[element.thread] = element.number
    }
}
