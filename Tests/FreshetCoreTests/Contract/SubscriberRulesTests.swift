import FreshetCore
import FreshetTesting
import XCTest

/// Tests the rules on which a subscriber relies, with every operator.
final class SubscriberRulesTests: CoreTestCase {
    private let shapes = Shape.all.filter { !$0.isAsynchronous }

    func testRule1EventsOfASourceAfterItsStopEventAreDropped() {
        let source = ControlledSource<Int>()
        let careless = Observable<Int>.create { observer in
            observer.onNext(1)
            observer.onCompleted()
            observer.onNext(2)
            observer.onError(Fault.first)
            observer.onCompleted()
            return source.stream.subscribe(observer)
        }
        XCTAssertEqual(careless.record().events, [.next(1), .completed])
        XCTAssertEqual(source.observers, 0)
    }

    func testRule2TheEffectsOfOneEventAreVisibleToTheNext() {
        let subjects = (0..<4).map { _ in PublishSubject<Int>() }
        let recorder = UnsynchronizedRecorder<Int>()
        let subscription = Observable.merge(subjects.map { $0.asObservable() }).subscribe(recorder)
        onThreads(4) { thread in
            for number in 0..<500 { subjects[thread].onNext(number) }
        }
        XCTAssertEqual(recorder.elements.count, 2000)
        XCTAssertFalse(recorder.hasOverlapped)
        subscription.dispose()
    }

    func testRule4RepeatedDisposalsFromManyThreadsEndTheSubscriptionOnce() {
        for shape in shapes {
            let fixture = Fixture()
            let ends = Counter()
            let checker = ContractChecker()
            let subscription = shape.make(fixture).do(onDispose: { ends.increment() }).subscribe(checker)
            for step in fixture.steps(.completed).prefix(6) { step() }
            onThreads(3) { _ in
                subscription.dispose()
                subscription.dispose()
            }
            XCTAssertEqual(ends.value, 1, shape.name)
            fixture.scheduler.advanceBy(1)
        }
    }

    func testRule5NothingHappensBeforeSubscribing() {
        for shape in Shape.all {
            let fixture = Fixture()
            let before = Resources.total
            let stream = shape.make(fixture)
            XCTAssertFalse(fixture.hasObservers, shape.name)
            XCTAssertEqual(Resources.total, before, shape.name)
            withExtendedLifetime(stream) {}
        }
    }

    func testRule5EachSubscriptionRunsTheStreamAnew() {
        let runs = Counter()
        let source = Observable<Int>.deferred { .just(runs.increment()) }
        let stream = source.map { $0 }.concat(source).scan(0, accumulator: +)
        XCTAssertEqual(stream.record().elements, [1, 3])
        XCTAssertEqual(stream.record().elements, [3, 7])
    }

    func testRule7AnObserverThatSubscribesInsideAnEventGetsItsOwnStream() {
        let recorders = Log<Recorder<Int>>()
        let stream = Observable.of(1, 2, 3).flatMap { Observable.of($0, $0) }
        stream.subscribe(onNext: { _ in
            let recorder = Recorder<Int>()
            recorders.append(recorder)
            stream.subscribe(recorder).dispose()
        }).dispose()
        XCTAssertGreaterThan(recorders.all.count, 0)
    }

    func testRule10EventsArriveOnTheThreadOfTheSource() {
        let trials = shapes.map { (shape: $0, fixture: Fixture(), otherThreads: Counter()) }
        onThreads(1) { _ in
            let thread = Thread.current
            for trial in trials {
                let otherThreads = trial.otherThreads
                let checker = ContractChecker { [number = ObjectIdentifier(thread)] _, _ in
                    if ObjectIdentifier(Thread.current) != number { otherThreads.increment() }
                }
                let subscription = trial.shape.make(trial.fixture).subscribe(checker)
                for step in trial.fixture.steps(.completed) { step() }
                subscription.dispose()
                trial.fixture.scheduler.advanceBy(1)
            }
        }
        for trial in trials { XCTAssertEqual(trial.otherThreads.value, 0, trial.shape.name) }
    }

    func testRule11OnlyTheSchedulerAdvancesTime() {
        for shape in Shape.timing where shape.name.contains("scheduler:") {
            let still = events(of: shape, advancing: 0)
            XCTAssertEqual(still, events(of: shape, advancing: 0), shape.name)
            // The system's clock hardly moves meanwhile, so that any difference comes from the scheduler's clock.
            XCTAssertNotEqual(still, events(of: shape, advancing: 12), shape.name)
        }
    }

    /// The events when the scheduler advances by `time` between two elements.
    private func events(of shape: Shape, advancing time: Int) -> [String] {
        let fixture = Fixture()
        let recorder = Recorder<Int>()
        let subscription = shape.make(fixture).subscribe(recorder)
        fixture.a.onNext(1)
        fixture.scheduler.advanceBy(time)
        fixture.a.onNext(2)
        fixture.b.onNext(10)
        subscription.dispose()
        return recorder.events.map { "\($0)" }
    }

    func testRule12SequencesTakeTurns() {
        XCTAssertEqual(
            Observable.merge(.of(1, 2, 3), .from([10, 20, 30]), .range(start: 100, count: 3)).record().elements,
            [1, 10, 100, 2, 20, 101, 3, 30, 102])
    }
}
