import FreshetCore
import FreshetTesting
import XCTest

/// Tests what subjects and relays emit after their end.
final class EndedSubjectSemanticsTests: CoreTestCase {
    private typealias Ended = (
        name: String, stream: Observable<Int>, send: @Sendable (Event<Int>) -> Void, dispose: @Sendable () -> Void
    )

    private func subjects() -> [Ended] {
        let publish = PublishSubject<Int>()
        let behavior = BehaviorSubject(value: 0)
        let replays: [ReplaySubject<Int>] = [.create(bufferSize: 1), .create(bufferSize: 2), .createUnbounded()]
        let async = AsyncSubject<Int>()
        return [
            ("publish", publish, publish.on, publish.dispose), ("behavior", behavior, behavior.on, behavior.dispose),
            ("async", async, async.on, async.dispose),
        ] + replays.enumerated().map { ("replay \($0)", $1, $1.on, $1.dispose) }
    }

    private func send(_ events: [Event<Int>], to subject: Ended) {
        for event in events { subject.send(event) }
    }

    private let kept: [String: [Event<Int>]] = [
        "publish": [], "behavior": [], "async": [], "replay 0": [.next(3)], "replay 1": [.next(2), .next(3)],
        "replay 2": [.next(1), .next(2), .next(3)],
    ]

    func testNoEventFollowsTheFirstStopEventOfASubject() {
        for subject in subjects() {
            send([.next(1), .next(2), .next(3), .completed, .next(4), .error(Fault.first), .completed], to: subject)
            let last: [Event<Int>] = subject.name == "async" ? [.next(3)] : kept[subject.name] ?? []
            XCTAssertEqual(subject.stream.record().events, last + [.completed], subject.name)
        }
        for subject in subjects() {
            send([.next(1), .next(2), .next(3), .error(Fault.first), .next(4), .completed], to: subject)
            let last = kept[subject.name] ?? []
            XCTAssertEqual(subject.stream.record().events, last + [.error(Fault.first)], subject.name)
        }
    }

    func testADisposedSubjectFailsNewObserversAndEmitsNothingToOthers() {
        for subject in subjects() {
            let before = Recorder<Int>()
            let subscription = subject.stream.subscribe(before)
            send([.next(1), .next(2)], to: subject)
            let count = before.events.count
            subject.dispose()
            send([.next(3), .completed], to: subject)
            XCTAssertEqual(before.events.count, count, subject.name)
            let late = subject.stream.record()
            XCTAssertEqual(late.events.count, 1, subject.name)
            guard case .disposed? = late.error as? RxError else { return XCTFail(subject.name) }
            subscription.dispose()
        }
    }

    func testADisposalReplacesTheStopEventForNewObservers() {
        for subject in subjects() {
            send([.next(1), .completed], to: subject)
            subject.dispose()
            guard case .disposed? = subject.stream.record().error as? RxError else { return XCTFail(subject.name) }
        }
    }

    func testAnAsyncSubjectWithoutAnElementOrWithAnErrorReplaysOnlyItsStopEvent() {
        let empty = AsyncSubject<Int>()
        empty.onCompleted()
        XCTAssertEqual(empty.record().events, [.completed])
        let failed = AsyncSubject<Int>()
        failed.onNext(1)
        failed.onError(Fault.first)
        XCTAssertEqual(failed.record().events, [.error(Fault.first)])
    }

    func testTheValueOfABehaviorSubjectThrowsAfterAnErrorAndAfterItsDisposal() {
        let failed = BehaviorSubject(value: 1)
        failed.onError(Fault.first)
        failed.onNext(2)
        XCTAssertThrowsError(try failed.value()) { XCTAssertEqual($0 as? Fault, .first) }
        for events in [[], [Event<Int>.completed], [.error(Fault.first)]] {
            let disposed = BehaviorSubject(value: 1)
            for event in events { disposed.on(event) }
            disposed.dispose()
            XCTAssertThrowsError(try disposed.value()) { error in
                guard case .disposed? = error as? RxError else { return XCTFail("\(error)") }
            }
        }
    }

    func testAnEndedSubjectHasNoObserversEvenInsideTheStopEvent() {
        let subject = BehaviorSubject(value: 1)
        XCTAssertFalse(subject.hasObservers)
        let seen = Log<Bool>()
        let subscription = subject.subscribe(onNext: { _ in seen.append(subject.hasObservers) }) { _ in
            seen.append(subject.hasObservers)
        }
        XCTAssertTrue(subject.hasObservers)
        subject.onNext(2)
        subject.onError(Fault.first)
        XCTAssertEqual(Array(seen.all.suffix(2)), [true, false])
        XCTAssertFalse(subject.hasObservers)
        _ = subject.subscribe(onError: { _ in })
        XCTAssertFalse(subject.hasObservers)
        XCTAssertFalse(subject.isDisposed)
        subscription.dispose()
    }

    func testADisposedSubjectHasNoObservers() {
        for subject in [PublishSubject<Int>(), PublishSubject<Int>()] {
            let subscription = subject.subscribe()
            XCTAssertTrue(subject.hasObservers)
            subject.dispose()
            XCTAssertFalse(subject.hasObservers)
            subscription.dispose()
        }
    }

    func testAnObserverThatSubscribesInsideTheStopEventReceivesIt() {
        for subject in subjects() {
            let late = Recorder<Int>()
            let subscription = subject.stream.subscribe(
                Recorder<Int> { event in
                    if event.isStopEvent { _ = subject.stream.subscribe(late) }
                })
            send([.next(3), .completed], to: subject)
            XCTAssertEqual(late.events.last, .completed, subject.name)
            XCTAssertEqual(late.events.filter(\.isStopEvent).count, 1, subject.name)
            subscription.dispose()
        }
    }

    func testAllObserversReceiveTheStopEventThoughOneDisposesOfTheSubject() {
        let subject = PublishSubject<Int>()
        let second = Recorder<Int>()
        let first = subject.subscribe(onCompleted: { subject.dispose() })
        let subscription = subject.subscribe(second)
        subject.onCompleted()
        XCTAssertEqual(second.events, [.completed])
        first.dispose()
        subscription.dispose()
    }

    func testASubjectThatObservesAnotherEndsWithIt() {
        let source = PublishSubject<Int>(), target = ReplaySubject<Int>.create(bufferSize: 1)
        let subscription = source.subscribe(target)
        source.onNext(1)
        source.onCompleted()
        target.onNext(2)
        XCTAssertEqual(target.record().events, [.next(1), .completed])
        subscription.dispose()
    }

    func testARelayKeepsItsLastValueWithoutObservers() {
        let relay = BehaviorRelay(value: 1)
        let subscription = relay.asObservable().subscribe()
        relay.accept(2)
        subscription.dispose()
        relay.accept(3)
        XCTAssertEqual(relay.value, 3)
        XCTAssertEqual(relay.asObservable().record().events, [.next(3)])
        let replay = ReplayRelay<Int>.create(bufferSize: 2)
        for number in 1...3 { replay.accept(number) }
        XCTAssertEqual(replay.asObservable().record().events, [.next(2), .next(3)])
    }
}
