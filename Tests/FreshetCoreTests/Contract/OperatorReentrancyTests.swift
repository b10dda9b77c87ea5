import FreshetCore
import FreshetTesting
import XCTest

/// Every operator, used from inside its own events and from many threads at once.
final class OperatorReentrancyTests: CoreTestCase {
    private let shapes = Shape.all.filter { !$0.isAsynchronous }

    func testSendingInsideAnElement() {
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
                    stand.scheduler.advanceBy(1)
                }
                let subscription = shape.make(stand).subscribe(witness)
                for step in stand.steps(.completed) { step() }
                XCTAssertEqual(witness.complaints, [], shape.name)
                subscription.dispose()
            }
        }
    }

    func testEndingTheSourcesInsideAnElement() {
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

    func testSubscribingAndDisposingInsideAnElement() {
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

    func testFedByEightThreads() {
        for shape in shapes {
            let stand = Stand()
            let witness = Witness()
            let subscription = shape.make(stand).subscribe(witness)
            feed(stand, threads: 8)
            XCTAssertEqual(witness.complaints, [], shape.name)
            subscription.dispose()
            stand.scheduler.advanceBy(1)
            XCTAssertFalse(stand.hasObservers, shape.name)
        }
    }

    func testDisposedOfInsideAnElementWhileEightThreadsFeed() {
        for shape in shapes {
            let stand = Stand()
            let place = SingleAssignmentDisposable()
            let silence = Locked(false)
            let late = Locked(0)
            let witness = Witness { number, _ in
                if silence.withLock({ $0 }) { late.withLock { $0 += 1 } }
                if number >= 5, !place.isDisposed {
                    place.dispose()
                    silence.withLock { $0 = true }
                }
            }
            place.setDisposable(shape.make(stand).subscribe(witness))
            feed(stand, threads: 8)
            XCTAssertEqual(witness.complaints, [], shape.name)
            XCTAssertEqual(late.withLock { $0 }, 0, shape.name)
            place.dispose()
            stand.scheduler.advanceBy(1)
            XCTAssertFalse(stand.hasObservers, shape.name)
        }
    }

    func testDisposedOfByAnotherThreadWhileThreeFeed() {
        for shape in shapes {
            let stand = Stand()
            let silence = Locked(false)
            let late = Locked(0)
            let witness = Witness { _, _ in if silence.withLock({ $0 }) { late.withLock { $0 += 1 } } }
            let subscription = shape.make(stand).subscribe(witness)
            feed(stand, threads: 3) {
                subscription.dispose()
                silence.withLock { $0 = true }
            }
            XCTAssertEqual(witness.complaints, [], shape.name)
            XCTAssertLessThanOrEqual(late.withLock { $0 }, 1, "\(shape.name): only what was on its way may come")
            stand.scheduler.advanceBy(1)
            XCTAssertFalse(stand.hasObservers, shape.name)
        }
    }

    /// Sends from `threads` threads to all three sources, and lets time pass on one more, which does `other` on its way.
    private func feed(_ stand: Stand, threads: Int, _ other: @escaping @Sendable () -> Void = {}) {
        let barrier = Barrier(threads + 1)
        onThreads(threads + 1) { thread in
            barrier.wait()
            if thread == threads {
                for round in 0..<12 {
                    stand.scheduler.advanceBy(1)
                    if round == 6 { other() }
                    sched_yield()
                }
                return
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
