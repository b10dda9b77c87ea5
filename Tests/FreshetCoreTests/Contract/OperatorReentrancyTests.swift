import FreshetCore
import FreshetTesting
import XCTest

/// Uses every operator inside its own events, and from many threads at once.
final class OperatorReentrancyTests: CoreTestCase {
    private let shapes = Shape.all.filter { !$0.isAsynchronous }

    func testRule2And7AnElementSentInsideAnElementIsDeliveredAfterIt() {
        onThreads(1) { [shapes] _ in
            for shape in shapes {
                let stand = Stand()
                let left = Locked(24)
                let witness = Witness { number, event in
                    guard !event.isStopEvent,
                        left.withLock({
                            $0 -= 1; return $0 > 0
                        })
                    else { return }
                    stand.a.onNext(number)
                    stand.b.onNext(number)
                    stand.c.onNext(number)
                }
                let subscription = shape.make(stand).subscribe(witness)
                for step in stand.steps(.completed) { step() }
                XCTAssertEqual(witness.complaints, [], shape.name)
                subscription.dispose()
            }
        }
    }

    func testRule1And7EndingTheSourcesInsideAnElementKeepsTheGrammar() {
        onThreads(1) { [shapes] _ in
            for shape in shapes {
                for number in 1...2 {
                    let stand = Stand()
                    let witness = Witness { event, _ in
                        guard event == number else { return }
                        stand.a.onCompleted()
                        stand.b.onError(Fault.first)
                        stand.c.onCompleted()
                    }
                    let subscription = shape.make(stand).subscribe(witness)
                    for step in stand.steps(.completed) { step() }
                    XCTAssertEqual(witness.complaints, [], shape.name)
                    subscription.dispose()
                }
            }
        }
    }

    func testRule3And7AnObserverCanSubscribeAndDisposeInsideAnElement() {
        onThreads(1) { [shapes] _ in
            for shape in shapes {
                let stand = Stand()
                let stream = shape.make(stand)
                let guests = Locked<[(Witness, any Disposable)]>([])
                let witness = Witness { _, event in
                    guard !event.isStopEvent, guests.withLock({ $0.count < 6 }) else { return }
                    let guest = Witness()
                    let subscription = stream.subscribe(guest)
                    let former = guests.withLock { guests in
                        guests.append((guest, subscription))
                        return guests.dropLast().last
                    }
                    guard let (guest, subscription) = former else { return }
                    subscription.dispose()
                    let seen = guest.events
                    stand.a.onNext(7)
                    XCTAssertEqual(guest.events, seen, shape.name)
                }
                let subscription = stream.subscribe(witness)
                for step in stand.steps(.completed) { step() }
                for (guest, subscription) in guests.withLock({ $0 }) {
                    subscription.dispose()
                    XCTAssertEqual(guest.complaints, [], shape.name)
                }
                XCTAssertEqual(witness.complaints, [], shape.name)
                subscription.dispose()
                stand.scheduler.advanceBy(1)
                XCTAssertFalse(stand.hasObservers, shape.name)
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
                trial.place.pause()
                trial.stand.scheduler.advanceBy(1)
                trial.place.resume()
            }
        }
        expectContract(trials)
    }

    private func expectContract(_ trials: [Trial], line: UInt = #line) {
        for trial in trials {
            XCTAssertEqual(trial.witness.complaints, [], trial.shape.name, line: line)
            trial.place.dispose()
            trial.stand.scheduler.advanceBy(1)
            XCTAssertFalse(trial.stand.hasObservers, trial.shape.name, line: line)
        }
    }

    /// Sends from eight threads to all three sources, while another thread lets time pass and calls `other` in the middle.
    private func feed(_ trials: [Trial], _ other: @escaping @Sendable (Trial) -> Void = { _ in }) {
        let barrier = Barrier(9)
        onThreads(9) { thread in
            barrier.wait()
            for trial in trials {
                let stand = trial.stand
                if thread == 8 {
                    for _ in 0..<4 { stand.scheduler.advanceBy(1) }
                    other(trial)
                    for _ in 0..<8 { stand.scheduler.advanceBy(1) }
                    continue
                }
                for round in 0..<24 {
                    [stand.a, stand.b, stand.c][(thread + round) % 3].onNext(thread * 100 + round)
                }
                if thread == 0 {
                    stand.a.onCompleted()
                    stand.b.onCompleted()
                    stand.c.onCompleted()
                }
            }
        }
    }
}

/// A shape that the test has subscribed to.
private final class Trial: Sendable {
    let shape: Shape
    let stand = Stand()
    let witness: Witness
    let place = SingleAssignmentDisposable()
    /// The number of events that arrived after the subscription had been disposed of.
    let late = Counter()
    private let isSilent: Flag

    /// - Parameter number: the number of the event inside which the subscription is disposed of.
    init(_ shape: Shape, disposingInside number: Int = .max) {
        self.shape = shape
        let (isSilent, late, place) = (Flag(), late, place)
        self.isSilent = isSilent
        witness = Witness { event, _ in
            if isSilent.value { late.increment() }
            guard event == number else { return }
            place.dispose()
            isSilent.value = true
        }
        place.setDisposable(shape.make(stand).subscribe(witness))
    }

    func dispose() {
        place.dispose()
        isSilent.value = true
    }
}
