import FreshetCore
import FreshetTesting
import XCTest

/// Disposes of every operator at every point. It must leave nothing behind, and emit nothing more.
final class OperatorLifetimeTests: CoreTestCase {
    private let shapes = Shape.all.filter { !$0.isAsynchronous }

    /// Runs `body` with a stand of its own, and checks that nothing is left of the stand.
    private func onAStand(_ shape: Shape, _ place: String, _ body: (Stand, (Bool, String) -> Void) -> Void) {
        let before = Resources.total
        weak var left: Stand?
        do {
            let stand = Stand()
            left = stand
            body(stand) { if !$0 { XCTFail("\(shape.name), \(place): \($1)") } }
        }
        if Resources.total != before { XCTFail("\(shape.name), \(place): \(Resources.total - before) are left") }
        if left != nil { XCTFail("\(shape.name), \(place): the closures are left") }
    }

    func testRule3And4ADisposalBetweenAnyTwoEventsReleasesEverythingAndIsSilent() {
        for shape in shapes {
            for ending in Stand.Ending.allCases {
                for point in 0...Stand().steps(ending).count {
                    onAStand(shape, "\(ending), \(point)") { stand, expect in
                        let witness = Witness()
                        let steps = stand.steps(ending)
                        let subscription = shape.make(stand).subscribe(witness)
                        for step in steps[..<point] { step() }
                        subscription.dispose()
                        let seen = witness.events
                        for step in steps[point...] { step() }
                        stand.scheduler.advanceBy(1)
                        expect(witness.events == seen, "an event after dispose")
                        expect(witness.complaints == [], "\(witness.complaints)")
                        expect(!stand.hasObservers, "a source is still subscribed to")
                    }
                }
            }
        }
    }

    func testRule3And4ADisposalInsideAnyEventReleasesEverythingAndIsSilent() {
        for shape in shapes {
            for ending in Stand.Ending.allCases {
                for point in 1..<events(of: shape, ending) + 1 {
                    onAStand(shape, "\(ending), inside \(point)") { stand, expect in
                        let place = SingleAssignmentDisposable()
                        let after = Locked<Int?>(nil)
                        let witness = Witness { number, _ in
                            if number == point { place.dispose() }
                        }
                        let subscription = shape.make(stand).subscribe(witness)
                        // Nothing can stop the elements that a source emits within the subscribing call.
                        if place.isDisposed { after.withLock { $0 = witness.events } }
                        place.setDisposable(subscription)
                        for step in stand.steps(ending) { step() }
                        expect(witness.events <= after.withLock { $0 ?? point }, "an event after dispose")
                        expect(witness.complaints == [], "\(witness.complaints)")
                        stand.scheduler.advanceBy(1)
                        expect(!stand.hasObservers, "a source is still subscribed to")
                    }
                }
            }
        }
    }

    func testRule3NoEventFollowsADisposalInsideTheFirstElementOfATrampolinedSubscription() {
        for shape in shapes {
            onAStand(shape, "trampolined") { stand, expect in
                let place = SingleAssignmentDisposable()
                let isAssigned = Locked(false)
                let late = Locked(0)
                let witness = Witness { _, _ in
                    if place.isDisposed, isAssigned.withLock({ $0 }) { late.withLock { $0 += 1 } }
                    place.dispose()
                }
                CurrentThreadScheduler.instance.schedule(()) { _ in
                    place.setDisposable(shape.make(stand).subscribe(witness))
                    isAssigned.withLock { $0 = true }
                    return Disposables.create()
                }.dispose()
                for step in stand.steps(.completed) { step() }
                expect(late.withLock { $0 } == 0, "an event after dispose")
                place.dispose()
            }
        }
    }

    func testRule1And4AStopEventAloneReleasesEverything() {
        for shape in shapes {
            for ending in Stand.Ending.allCases {
                onAStand(shape, "\(ending), to the end") { stand, expect in
                    let witness = Witness()
                    let subscription = shape.make(stand).subscribe(witness)
                    for step in stand.steps(ending) { step() }
                    // The test disposes of the subscriptions that have not stopped.
                    if !witness.hasStopped { subscription.dispose() }
                    stand.scheduler.advanceBy(1)
                    expect(witness.complaints == [], "\(witness.complaints)")
                    expect(!stand.hasObservers, "a source is still subscribed to")
                    if ending == .completed { expect(shape.isSilent == (witness.elements == 0), "elements") }
                }
            }
        }
    }

    func testRule1And5SimultaneousSubscriptionsToOneStreamFollowTheGrammar() {
        for shape in shapes {
            onAStand(shape, "three times") { stand, expect in
                let stream = shape.make(stand)
                let witnesses = (0..<3).map { _ in Witness() }
                let subscriptions = witnesses.map { stream.subscribe($0) }
                let steps = stand.steps(.completed)
                for (number, step) in steps.enumerated() {
                    if number % 5 == 4, number / 5 < 3 { subscriptions[number / 5].dispose() }
                    step()
                }
                for witness in witnesses { expect(witness.complaints == [], "\(witness.complaints)") }
                expect(!stand.hasObservers, "a source is still subscribed to")
            }
        }
    }

    /// A task releases its objects a moment later.
    func testRule4ADisposalReleasesEverythingOfAnOperatorThatUsesATask() {
        for shape in Shape.all where shape.isAsynchronous {
            for ending in Stand.Ending.allCases {
                for point in stride(from: 0, through: Stand().steps(ending).count, by: 3) {
                    let before = Resources.total
                    do {
                        let stand = Stand()
                        let witness = Witness()
                        let steps = stand.steps(ending)
                        let subscription = shape.make(stand).subscribe(witness)
                        for step in steps[..<point] { step() }
                        subscription.dispose()
                        for step in steps[point...] { step() }
                        XCTAssertEqual(witness.complaints, [], shape.name)
                    }
                    let end = ContinuousClock.now.advanced(by: .seconds(20))
                    while Resources.total != before, ContinuousClock.now < end { sched_yield() }
                    XCTAssertEqual(Resources.total, before, "\(shape.name), \(ending), \(point)")
                }
            }
        }
    }

    private func events(of shape: Shape, _ ending: Stand.Ending) -> Int {
        var events = 0
        onAStand(shape, "\(ending), counted") { stand, _ in
            let witness = Witness()
            let subscription = shape.make(stand).subscribe(witness)
            for step in stand.steps(ending) { step() }
            subscription.dispose()
            stand.scheduler.advanceBy(1)
            events = witness.events
        }
        return events
    }
}
