import FreshetCore
import FreshetTesting
import XCTest

/// Tests the rules on which a subscriber relies, with every operator.
final class SubscriberRulesTests: CoreTestCase {
    private let shapes = Shape.all.filter { !$0.isAsynchronous }

    func testRule1EventsOfASourceAfterItsStopEventAreDropped() {
        let wire = Wire<Int>()
        let careless = Observable<Int>.create { observer in
            observer.onNext(1)
            observer.onCompleted()
            observer.onNext(2)
            observer.onError(Fault.first)
            observer.onCompleted()
            return wire.stream.subscribe(observer)
        }
        XCTAssertEqual(careless.record().events, [.next(1), .completed])
        XCTAssertEqual(wire.observers, 0)
    }

    func testRule2TheEffectsOfOneEventAreVisibleToTheNext() {
        let subjects = (0..<4).map { _ in PublishSubject<Int>() }
        let tape = Tape<Int>()
        let subscription = Observable.merge(subjects.map { $0.asObservable() }).subscribe(tape)
        onThreads(4) { thread in
            for number in 0..<500 { subjects[thread].onNext(number) }
        }
        XCTAssertEqual(tape.elements.count, 2000)
        XCTAssertFalse(tape.hasOverlapped)
        subscription.dispose()
    }

    func testRule4RepeatedDisposalsFromManyThreadsEndTheSubscriptionOnce() {
        for shape in shapes {
            let stand = Stand()
            let ends = Counter()
            let witness = Witness()
            let subscription = shape.make(stand).do(onDispose: { ends.increment() }).subscribe(witness)
            for step in stand.steps(.completed).prefix(6) { step() }
            onThreads(3) { _ in
                subscription.dispose()
                subscription.dispose()
            }
            XCTAssertEqual(ends.value, 1, shape.name)
            stand.scheduler.advanceBy(1)
        }
    }

    func testRule5NothingHappensBeforeSubscribing() {
        for shape in Shape.all {
            let stand = Stand()
            let before = Resources.total
            let stream = shape.make(stand)
            XCTAssertFalse(stand.hasObservers, shape.name)
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
        let trials = shapes.map { (shape: $0, stand: Stand(), strangers: Counter()) }
        onThreads(1) { _ in
            let thread = Thread.current
            for trial in trials {
                let strangers = trial.strangers
                let witness = Witness { [number = ObjectIdentifier(thread)] _, _ in
                    if ObjectIdentifier(Thread.current) != number { strangers.increment() }
                }
                let subscription = trial.shape.make(trial.stand).subscribe(witness)
                for step in trial.stand.steps(.completed) { step() }
                subscription.dispose()
                trial.stand.scheduler.advanceBy(1)
            }
        }
        for trial in trials { XCTAssertEqual(trial.strangers.value, 0, trial.shape.name) }
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
        let stand = Stand()
        let recorder = Recorder<Int>()
        let subscription = shape.make(stand).subscribe(recorder)
        stand.a.onNext(1)
        stand.scheduler.advanceBy(time)
        stand.a.onNext(2)
        stand.b.onNext(10)
        subscription.dispose()
        return recorder.events.map { "\($0)" }
    }

    func testRule12SequencesTakeTurns() {
        XCTAssertEqual(
            Observable.merge(.of(1, 2, 3), .from([10, 20, 30]), .range(start: 100, count: 3)).record().elements,
            [1, 10, 100, 2, 20, 101, 3, 30, 102])
    }
}
