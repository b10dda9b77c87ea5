import FreshetCore
import FreshetTesting
import XCTest

/// Uses every operator inside its own events, and from many threads at once.
final class OperatorReentrancyTests: CoreTestCase {
    private let shapes = Shape.all.filter { !$0.isAsynchronous }

    func testRule2And7AnElementSentInsideAnElementIsDeliveredAfterIt() {
        onThreads(1) { [shapes] _ in
            for shape in shapes {
                let fixture = Fixture()
                let left = Locked(24)
                let checker = ContractChecker { number, event in
                    guard !event.isStopEvent,
                        left.withLock({
                            $0 -= 1; return $0 > 0
                        })
                    else { return }
                    fixture.a.onNext(number)
                    fixture.b.onNext(number)
                    fixture.c.onNext(number)
                }
                let subscription = shape.make(fixture).subscribe(checker)
                for step in fixture.steps(.completed) { step() }
                XCTAssertEqual(checker.violations, [], shape.name)
                subscription.dispose()
            }
        }
    }

    func testRule1And7EndingTheSourcesInsideAnElementKeepsTheGrammar() {
        onThreads(1) { [shapes] _ in
            for shape in shapes {
                for number in 1...2 {
                    let fixture = Fixture()
                    let checker = ContractChecker { event, _ in
                        guard event == number else { return }
                        fixture.a.onCompleted()
                        fixture.b.onError(Fault.first)
                        fixture.c.onCompleted()
                    }
                    let subscription = shape.make(fixture).subscribe(checker)
                    for step in fixture.steps(.completed) { step() }
                    XCTAssertEqual(checker.violations, [], shape.name)
                    subscription.dispose()
                }
            }
        }
    }

    func testRule3And7AnObserverCanSubscribeAndDisposeInsideAnElement() {
        onThreads(1) { [shapes] _ in
            for shape in shapes {
                let fixture = Fixture()
                let stream = shape.make(fixture)
                let lateObservers = Locked<[(ContractChecker, any Disposable)]>([])
                let checker = ContractChecker { _, event in
                    guard !event.isStopEvent, lateObservers.withLock({ $0.count < 6 }) else { return }
                    let lateObserver = ContractChecker()
                    let subscription = stream.subscribe(lateObserver)
                    let former = lateObservers.withLock { lateObservers in
                        lateObservers.append((lateObserver, subscription))
                        return lateObservers.dropLast().last
                    }
                    guard let (lateObserver, subscription) = former else { return }
                    subscription.dispose()
                    let seen = lateObserver.events
                    fixture.a.onNext(7)
                    XCTAssertEqual(lateObserver.events, seen, shape.name)
                }
                let subscription = stream.subscribe(checker)
                for step in fixture.steps(.completed) { step() }
                for (lateObserver, subscription) in lateObservers.withLock({ $0 }) {
                    subscription.dispose()
                    XCTAssertEqual(lateObserver.violations, [], shape.name)
                }
                XCTAssertEqual(checker.violations, [], shape.name)
                subscription.dispose()
                fixture.scheduler.advanceBy(1)
                XCTAssertFalse(fixture.hasObservers, shape.name)
            }
        }
    }

    func testRule1And2ElementsOfEightThreadsAreDeliveredSerially() {
        let trials = shapes.map { Trial($0) }
        feed(trials)
        expectContract(trials)
    }

    func testRule3NoEventFollowsADisposalInsideAnElementWhileEightThreadsSend() {
        let trials = shapes.map { Trial($0, disposingInside: 5) }
        feed(trials)
        expectContract(trials)
        for trial in trials { XCTAssertEqual(trial.late.value, 0, trial.shape.name) }
    }

    func testRule3AtMostOneEventFollowsADisposalByAnotherThread() {
        let trials = shapes.map { Trial($0) }
        feed(trials) { $0.dispose() }
        expectContract(trials)
        for trial in trials {
            XCTAssertLessThanOrEqual(trial.late.value, 1, "\(trial.shape.name): only what was on its way may come")
        }
    }

    func testRule2And14PausingWhileEightThreadsSendKeepsEventsSerial() {
        let trials = shapes.map { Trial($0) }
        feed(trials) { trial in
            for _ in 0..<6 {
                trial.subscription.pause()
                trial.fixture.scheduler.advanceBy(1)
                trial.subscription.resume()
            }
        }
        expectContract(trials)
    }

    private func expectContract(_ trials: [Trial], line: UInt = #line) {
        for trial in trials {
            XCTAssertEqual(trial.checker.violations, [], trial.shape.name, line: line)
            trial.subscription.dispose()
            trial.fixture.scheduler.advanceBy(1)
            XCTAssertFalse(trial.fixture.hasObservers, trial.shape.name, line: line)
        }
    }

    /// Sends from eight threads to all three sources, while another thread lets time pass and calls `other` in the middle.
    private func feed(_ trials: [Trial], _ other: @escaping @Sendable (Trial) -> Void = { _ in }) {
        let barrier = Barrier(9)
        onThreads(9) { thread in
            barrier.wait()
            for trial in trials {
                let fixture = trial.fixture
                if thread == 8 {
                    for _ in 0..<4 { fixture.scheduler.advanceBy(1) }
                    other(trial)
                    for _ in 0..<8 { fixture.scheduler.advanceBy(1) }
                    continue
                }
                for round in 0..<24 {
                    [fixture.a, fixture.b, fixture.c][(thread + round) % 3].onNext(thread * 100 + round)
                }
                if thread == 0 {
                    fixture.a.onCompleted()
                    fixture.b.onCompleted()
                    fixture.c.onCompleted()
                }
            }
        }
    }
}

/// A shape that the test has subscribed to.
private final class Trial: Sendable {
    let shape: Shape
    let fixture = Fixture()
    let checker: ContractChecker
    let subscription = SingleAssignmentDisposable()
    /// The number of events that arrived after the subscription had been disposed of.
    let late = Counter()
    private let isSilent: Flag

    /// - Parameter number: the number of the event inside which the subscription is disposed of.
    init(_ shape: Shape, disposingInside number: Int = .max) {
        self.shape = shape
        let (isSilent, late, subscription) = (Flag(), late, subscription)
        self.isSilent = isSilent
        checker = ContractChecker { event, _ in
            if isSilent.value { late.increment() }
            guard event == number else { return }
            subscription.dispose()
            isSilent.value = true
        }
        subscription.setDisposable(shape.make(fixture).subscribe(checker))
    }

    func dispose() {
        subscription.dispose()
        isSilent.value = true
    }
}
