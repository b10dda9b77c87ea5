import FreshetCore
import FreshetTesting
import XCTest

final class GroupByTests: CoreTestCase {
    private let input = ControlledSource<Int>()

    private var groups: Observable<GroupedObservable<Int, Int>> {
        input.stream.groupBy { number in
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
            input.send(11, 2)
            if isError { input.send(-1) } else { input.complete() }
            XCTAssertEqual(input.observers, 0)
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
        input.send(1)
        let one = emitted.all[0].subscribe(first)
        input.send(11)
        one.dispose()
        input.send(21)
        let two = emitted.all[0].subscribe(second)
        input.send(31)
        XCTAssertEqual(emitted.all.map(\.key), [1])
        XCTAssertEqual(first.events, [.next(11)])
        XCTAssertEqual(second.events, [.next(31)])
        input.complete()
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
        input.send(1)
        outer.dispose()
        XCTAssertEqual(input.observers, 1)
        input.send(2, 11)
        XCTAssertEqual(recorder.events, [.next(1), .next(11)])
        XCTAssertEqual(keys.all, [1])
        inner.dispose()
        XCTAssertEqual(input.observers, 0)
    }

    func testAnErrorOfTheSelectorReachesAGroupThatOutlivesTheStreamOfGroups() {
        let recorder = Recorder<Int>()
        let outer = groups.subscribe(onNext: { _ = $0.subscribe(recorder) })
        input.send(1)
        outer.dispose()
        input.send(-1)
        XCTAssertEqual(recorder.events, [.next(1), .error(Fault.first)])
        XCTAssertEqual(input.observers, 0)
    }

    func testADisposalInsideANewGroupDropsItsElement() {
        let subscription = SerialDisposable()
        let recorder = Recorder<Int>()
        subscription.disposable = groups.subscribe(onNext: { group in
            subscription.dispose()
            group.subscribe(recorder).dispose()
        })
        input.send(1, 2)
        XCTAssertEqual(recorder.events, [])
        XCTAssertEqual(input.observers, 0)
    }

    func testGroupByPausesTheSourceWhenAllObserversPause() {
        let groupSubscriptions = Log<SerialDisposable>()
        let outer = SerialDisposable()
        outer.disposable = groups.subscribe(onNext: { group in
            let subscription = SerialDisposable()
            subscription.disposable = group.subscribe(Recorder())
            groupSubscriptions.append(subscription)
        })
        input.send(1, 2)
        groupSubscriptions.all[0].pause()
        groupSubscriptions.all[1].pause()
        XCTAssertEqual(input.log, [], "a new group could still come")
        outer.pause()
        XCTAssertEqual(input.log, ["pause"])
        groupSubscriptions.all[0].resume()
        XCTAssertEqual(input.log, ["pause", "resume"])
        groupSubscriptions.all[0].dispose()
        XCTAssertEqual(input.log, ["pause", "resume", "pause"], "a disposed observer does not count")
        outer.dispose()
        groupSubscriptions.all[1].resume()
        XCTAssertEqual(input.log.last, "resume")
        groupSubscriptions.all[1].pause()
        XCTAssertEqual(input.log.last, "pause")
        groupSubscriptions.all[1].dispose()
    }

    func testAPausedOuterStreamPausesTheSourceOnlyWithoutGroupObservers() {
        let subscription = SerialDisposable(), inner = SerialDisposable()
        let emitted = Log<GroupedObservable<Int, Int>>()
        subscription.disposable = groups.subscribe(Recorder { if let group = $0.element { emitted.append(group) } })
        input.send(1)
        subscription.pause()
        XCTAssertEqual(input.log, ["pause"])
        inner.disposable = emitted.all[0].subscribe(Recorder())
        XCTAssertEqual(input.log, ["pause", "resume"])
        inner.dispose()
        XCTAssertEqual(input.log, ["pause", "resume", "pause"])
        subscription.resume()
        XCTAssertEqual(input.log.last, "resume")
        subscription.dispose()
    }

    func testABusyGroupDoesNotBlockOtherGroups() {
        let work = [ControlledSource<Int>(), ControlledSource<Int>()]
        let subscription = groups.flatMap { $0.concatMap { work[$0 % 2].stream } }.subscribe(Recorder<Int>())
        input.send(1)
        XCTAssertEqual(input.log, [])
        input.send(2)
        XCTAssertEqual(work.map(\.observers), [1, 1])
        subscription.dispose()
    }

    func testConcatenatedGroupsDoNotStall() {
        let recorder = Recorder<Int>()
        let subscription = groups.concatMap { $0.take(2) }.subscribe(recorder)
        input.send(1, 2)
        XCTAssertEqual(input.log, [])
        input.send(11)
        XCTAssertEqual(input.log, ["pause", "resume"])
        input.send(12, 22)
        input.complete()
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
