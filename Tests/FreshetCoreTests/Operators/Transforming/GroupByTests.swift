import FreshetCore
import FreshetTesting
import XCTest

final class GroupByTests: CoreTestCase {
    private let wire = Wire<Int>()

    private var groups: Observable<GroupedObservable<Int, Int>> {
        wire.stream.groupBy { number in
            if number < 0 { throw Fault.first }
            return number % 10
        }
    }

    func testAGroupIsEmittedWithItsFirstElement() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([
            .next(210, "foo"), .next(220, "bar"), .next(230, "Foo"), .next(240, "baz"), .completed(300),
        ])
        let result = scheduler.start {
            source.groupBy { String($0.lowercased().prefix(1)) }.flatMap { group in group.map { "\(group.key) \($0)" } }
        }
        XCTAssertEqual(
            result.events,
            [.next(210, "f foo"), .next(220, "b bar"), .next(230, "f Foo"), .next(240, "b baz"), .completed(300)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 300)])
    }

    func testTheEndReachesTheGroupsInOrderBeforeTheOuterStream() {
        let log = Log<String>()
        for isError in [false, true] {
            let subscription = groups.subscribe { event in
                if let group = event.element {
                    _ = group.subscribe { log.append("\(group.key) \($0)") }
                } else {
                    log.append("\(event)")
                }
            }
            wire.send(11, 2)
            if isError { wire.send(-1) } else { wire.complete() }
            XCTAssertEqual(wire.observers, 0)
            subscription.dispose()
        }
        XCTAssertEqual(
            log.all,
            [
                "1 next(11)", "2 next(2)", "1 completed", "2 completed", "completed",
                "1 next(11)", "2 next(2)", "1 error(first)", "2 error(first)", "error(first)",
            ])
    }

    func testAGroupCanBeSubscribedToAgain() {
        let emitted = Log<GroupedObservable<Int, Int>>()
        let first = Recorder<Int>(), second = Recorder<Int>()
        let outer = groups.subscribe(onNext: { emitted.append($0) })
        wire.send(1)
        let one = emitted.all[0].subscribe(first)
        wire.send(11)
        one.dispose()
        wire.send(21)
        let two = emitted.all[0].subscribe(second)
        wire.send(31)
        XCTAssertEqual(emitted.all.map(\.key), [1])
        XCTAssertEqual(first.events, [.next(11)])
        XCTAssertEqual(second.events, [.next(31)])
        wire.complete()
        XCTAssertEqual(second.events, [.next(31), .completed])
        XCTAssertEqual(emitted.all[0].record().events, [.completed])
        outer.dispose()
        two.dispose()
    }

    func testTheSourceRunsAsLongAsAGroupHasAnObserver() {
        let recorder = Recorder<Int>()
        let inner = SerialDisposable()
        let keys = Log<Int>()
        let outer = groups.do(onNext: { keys.append($0.key) }).subscribe(onNext: { group in
            if group.key == 1 { inner.disposable = group.subscribe(recorder) }
        })
        wire.send(1)
        outer.dispose()
        XCTAssertEqual(wire.observers, 1)
        wire.send(2, 11)
        XCTAssertEqual(recorder.events, [.next(1), .next(11)])
        XCTAssertEqual(keys.all, [1])
        inner.dispose()
        XCTAssertEqual(wire.observers, 0)
    }

    func testAnErrorOfTheSelectorReachesAGroupThatOutlivesTheStreamOfGroups() {
        let recorder = Recorder<Int>()
        let outer = groups.subscribe(onNext: { _ = $0.subscribe(recorder) })
        wire.send(1)
        outer.dispose()
        wire.send(-1)
        XCTAssertEqual(recorder.events, [.next(1), .error(Fault.first)])
        XCTAssertEqual(wire.observers, 0)
    }

    func testADisposalInsideANewGroupDropsItsElement() {
        let place = SerialDisposable()
        let recorder = Recorder<Int>()
        place.disposable = groups.subscribe(onNext: { group in
            place.dispose()
            group.subscribe(recorder).dispose()
        })
        wire.send(1, 2)
        XCTAssertEqual(recorder.events, [])
        XCTAssertEqual(wire.observers, 0)
    }

    func testGroupByPausesTheSourceWhenAllObserversPause() {
        let places = Log<SerialDisposable>()
        let outer = SerialDisposable()
        outer.disposable = groups.subscribe(onNext: { group in
            let place = SerialDisposable()
            place.disposable = group.subscribe(Recorder())
            places.append(place)
        })
        wire.send(1, 2)
        places.all[0].pause()
        places.all[1].pause()
        XCTAssertEqual(wire.log, [], "a new group could still come")
        outer.pause()
        XCTAssertEqual(wire.log, ["pause"])
        places.all[0].resume()
        XCTAssertEqual(wire.log, ["pause", "resume"])
        places.all[0].dispose()
        XCTAssertEqual(wire.log, ["pause", "resume", "pause"], "who has gone does not count")
        outer.dispose()
        places.all[1].resume()
        XCTAssertEqual(wire.log.last, "resume")
        places.all[1].pause()
        XCTAssertEqual(wire.log.last, "pause")
        places.all[1].dispose()
    }

    func testAPausedOuterStreamPausesTheSourceOnlyWithoutGroupObservers() {
        let place = SerialDisposable(), inner = SerialDisposable()
        let emitted = Log<GroupedObservable<Int, Int>>()
        place.disposable = groups.subscribe(Recorder { if let group = $0.element { emitted.append(group) } })
        wire.send(1)
        place.pause()
        XCTAssertEqual(wire.log, ["pause"])
        inner.disposable = emitted.all[0].subscribe(Recorder())
        XCTAssertEqual(wire.log, ["pause", "resume"])
        inner.dispose()
        XCTAssertEqual(wire.log, ["pause", "resume", "pause"])
        place.resume()
        XCTAssertEqual(wire.log.last, "resume")
        place.dispose()
    }

    func testABusyGroupDoesNotBlockOtherGroups() {
        let work = [Wire<Int>(), Wire<Int>()]
        let subscription = groups.flatMap { $0.concatMap { work[$0 % 2].stream } }.subscribe(Recorder<Int>())
        wire.send(1)
        XCTAssertEqual(wire.log, [])
        wire.send(2)
        XCTAssertEqual(work.map(\.observers), [1, 1])
        subscription.dispose()
    }

    func testConcatenatedGroupsDoNotStall() {
        let recorder = Recorder<Int>()
        let subscription = groups.concatMap { $0.take(2) }.subscribe(recorder)
        wire.send(1, 2)
        XCTAssertEqual(wire.log, [])
        wire.send(11)
        XCTAssertEqual(wire.log, ["pause", "resume"])
        wire.send(12, 22)
        wire.complete()
        XCTAssertEqual(recorder.events, [.next(1), .next(11), .next(12), .next(22), .completed])
        subscription.dispose()
    }

    func testElementsOfEightThreadsAreGroupedWithoutLoss() {
        let subject = PublishSubject<Int>()
        let recorder = Recorder<Int>()
        let subscription = subject.groupBy { $0 % 7 }.flatMap { $0 }.subscribe(recorder)
        onThreads(8) { thread in
            for number in 0..<500 { subject.onNext(thread * 500 + number) }
        }
        XCTAssertEqual(recorder.elements.sorted(), Array(0..<4000))
        XCTAssertEqual(recorder.overlaps, 0)
        subscription.dispose()
    }
}
