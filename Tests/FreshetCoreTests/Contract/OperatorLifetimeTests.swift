import FreshetCore
import FreshetTesting
import XCTest

/// Disposes of every operator at every point. It must leave nothing behind, and emit nothing more.
final class OperatorLifetimeTests: CoreTestCase {
    private let shapes = Shape.all.filter { !$0.isAsynchronous }

    /// Runs `body` with a fixture of its own, and checks that nothing is left of the fixture.
    private func withFixture(_ shape: Shape, _ situation: String, _ body: (Fixture, (Bool, String) -> Void) -> Void) {
        let before = Resources.total
        weak var left: Fixture?
        do {
            let fixture = Fixture()
            left = fixture
            body(fixture) { if !$0 { XCTFail("\(shape.name), \(situation): \($1)") } }
        }
        if Resources.total != before { XCTFail("\(shape.name), \(situation): \(Resources.total - before) are left") }
        if left != nil { XCTFail("\(shape.name), \(situation): the closures are left") }
    }

    func testRule3And4ADisposalBetweenAnyTwoEventsReleasesEverythingAndIsSilent() {
        for shape in shapes {
            for ending in Fixture.Ending.allCases {
                for point in 0...Fixture().steps(ending).count {
                    withFixture(shape, "\(ending), \(point)") { fixture, expect in
                        let checker = ContractChecker()
                        let steps = fixture.steps(ending)
                        let subscription = shape.make(fixture).subscribe(checker)
                        for step in steps[..<point] { step() }
                        subscription.dispose()
                        let seen = checker.events
                        for step in steps[point...] { step() }
                        fixture.scheduler.advanceBy(1)
                        expect(checker.events == seen, "an event after dispose")
                        expect(checker.violations == [], "\(checker.violations)")
                        expect(!fixture.hasObservers, "a source is still subscribed to")
                    }
                }
            }
        }
    }

    func testRule3And4ADisposalInsideAnyEventReleasesEverythingAndIsSilent() {
        for shape in shapes {
            for ending in Fixture.Ending.allCases {
                for point in 1..<events(of: shape, ending) + 1 {
                    withFixture(shape, "\(ending), inside \(point)") { fixture, expect in
                        let singleAssignment = SingleAssignmentDisposable()
                        let after = Locked<Int?>(nil)
                        let checker = ContractChecker { number, _ in
                            if number == point { singleAssignment.dispose() }
                        }
                        let subscription = shape.make(fixture).subscribe(checker)
                        // Nothing can stop the elements that a source emits within the subscribing call.
                        if singleAssignment.isDisposed { after.withLock { $0 = checker.events } }
                        singleAssignment.setDisposable(subscription)
                        for step in fixture.steps(ending) { step() }
                        expect(checker.events <= after.withLock { $0 ?? point }, "an event after dispose")
                        expect(checker.violations == [], "\(checker.violations)")
                        fixture.scheduler.advanceBy(1)
                        expect(!fixture.hasObservers, "a source is still subscribed to")
                    }
                }
            }
        }
    }

    func testRule3NoEventFollowsADisposalInsideTheFirstElementOfATrampolinedSubscription() {
        for shape in shapes {
            withFixture(shape, "trampolined") { fixture, expect in
                let subscription = SingleAssignmentDisposable()
                let isAssigned = Locked(false)
                let late = Locked(0)
                let checker = ContractChecker { _, _ in
                    if subscription.isDisposed, isAssigned.withLock({ $0 }) { late.withLock { $0 += 1 } }
                    subscription.dispose()
                }
                CurrentThreadScheduler.instance.schedule(()) { _ in
                    subscription.setDisposable(shape.make(fixture).subscribe(checker))
                    isAssigned.withLock { $0 = true }
                    return Disposables.create()
                }.dispose()
                for step in fixture.steps(.completed) { step() }
                expect(late.withLock { $0 } == 0, "an event after dispose")
                subscription.dispose()
            }
        }
    }

    func testRule1And4AStopEventAloneReleasesEverything() {
        for shape in shapes {
            for ending in Fixture.Ending.allCases {
                withFixture(shape, "\(ending), to the end") { fixture, expect in
                    let checker = ContractChecker()
                    let subscription = shape.make(fixture).subscribe(checker)
                    for step in fixture.steps(ending) { step() }
                    // The test disposes of the subscriptions that have not stopped.
                    if !checker.hasStopped { subscription.dispose() }
                    fixture.scheduler.advanceBy(1)
                    expect(checker.violations == [], "\(checker.violations)")
                    expect(!fixture.hasObservers, "a source is still subscribed to")
                    if ending == .completed { expect(shape.isSilent == (checker.elements == 0), "elements") }
                }
            }
        }
    }

    func testRule1And5SimultaneousSubscriptionsToOneStreamFollowTheGrammar() {
        for shape in shapes {
            withFixture(shape, "three times") { fixture, expect in
                let stream = shape.make(fixture)
                let checkers = (0..<3).map { _ in ContractChecker() }
                let subscriptions = checkers.map { stream.subscribe($0) }
                let steps = fixture.steps(.completed)
                for (number, step) in steps.enumerated() {
                    if number % 5 == 4, number / 5 < 3 { subscriptions[number / 5].dispose() }
                    step()
                }
                for checker in checkers { expect(checker.violations == [], "\(checker.violations)") }
                expect(!fixture.hasObservers, "a source is still subscribed to")
            }
        }
    }

    /// A task releases its objects a moment later.
    func testRule4ADisposalReleasesEverythingOfAnOperatorThatUsesATask() {
        for shape in Shape.all where shape.isAsynchronous {
            for ending in Fixture.Ending.allCases {
                for point in stride(from: 0, through: Fixture().steps(ending).count, by: 3) {
                    let before = Resources.total
                    do {
                        let fixture = Fixture()
                        let checker = ContractChecker()
                        let steps = fixture.steps(ending)
                        let subscription = shape.make(fixture).subscribe(checker)
                        for step in steps[..<point] { step() }
                        subscription.dispose()
                        for step in steps[point...] { step() }
                        XCTAssertEqual(checker.violations, [], shape.name)
                    }
                    let end = ContinuousClock.now.advanced(by: .seconds(20))
                    while Resources.total != before, ContinuousClock.now < end { sched_yield() }
                    XCTAssertEqual(Resources.total, before, "\(shape.name), \(ending), \(point)")
                }
            }
        }
    }

    private func events(of shape: Shape, _ ending: Fixture.Ending) -> Int {
        var events = 0
        withFixture(shape, "\(ending), counted") { fixture, _ in
            let checker = ContractChecker()
            let subscription = shape.make(fixture).subscribe(checker)
            for step in fixture.steps(ending) { step() }
            subscription.dispose()
            fixture.scheduler.advanceBy(1)
            events = checker.events
        }
        return events
    }
}
