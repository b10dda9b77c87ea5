import FreshetCore
import FreshetTesting
import XCTest

final class DisposableTests: CoreTestCase {
    /// Logs the calls that it gets.
    private final class Probe: Pausable {
        let log = Locked<[String]>([])

        func dispose() { log.withLock { $0.append("dispose") } }
        func pause() { log.withLock { $0.append("pause") } }
        func resume() { log.withLock { $0.append("resume") } }
        var calls: [String] { log.withLock { $0 } }
    }

    func testAnActionRunsOnceWhenEightThreadsDispose() {
        let count = Locked(0)
        let disposable = Disposables.create { count.withLock { $0 += 1 } }
        XCTAssertFalse(disposable.isDisposed)
        onThreads(8) { _ in disposable.dispose() }
        XCTAssertEqual(count.withLock { $0 }, 1)
        XCTAssertTrue(disposable.isDisposed)
    }

    func testASingleAssignmentAppliesEarlierCallsToItsDisposable() {
        let ended = SingleAssignmentDisposable(), late = Probe()
        ended.dispose()
        ended.setDisposable(late)
        XCTAssertEqual(late.calls, ["dispose"])
        let paused = SingleAssignmentDisposable(), held = Probe()
        paused.pause()
        paused.setDisposable(held)
        paused.resume()
        paused.dispose()
        paused.dispose()
        XCTAssertEqual(held.calls, ["pause", "resume", "dispose"])
    }

    func testASerialDisposableDisposesOfTheReplacedDisposable() {
        let subscription = SerialDisposable()
        let first = Probe(), second = Probe(), third = Probe()
        subscription.disposable = first
        subscription.disposable = second
        XCTAssertEqual(first.calls, ["dispose"])
        XCTAssertEqual(second.calls, [])
        subscription.pause()
        subscription.dispose()
        subscription.disposable = third
        XCTAssertEqual(second.calls, ["pause", "dispose"])
        XCTAssertEqual(third.calls, ["dispose"])
        XCTAssertTrue(subscription.isDisposed)
    }

    func testACompositeDisposesOfItsMembersInOrderAndOnce() {
        let order = Locked<[Int]>([])
        let composite = CompositeDisposable()
        let keys = (0..<4).map { number in
            composite.insert(Disposables.create { order.withLock { $0.append(number) } })
        }
        XCTAssertEqual(composite.count, 4)
        if let key = keys[2] { composite.remove(for: key) }
        XCTAssertEqual(order.withLock { $0 }, [2])
        composite.dispose()
        composite.dispose()
        XCTAssertEqual(order.withLock { $0 }, [2, 0, 1, 3])
        let late = Probe()
        XCTAssertNil(composite.insert(late))
        XCTAssertEqual(late.calls, ["dispose"])
    }

    func testAMemberInsertedIntoAPausedCompositeIsPaused() {
        let composite = CompositeDisposable()
        let probe = Probe()
        composite.pause()
        composite.insert(probe)
        composite.resume()
        XCTAssertEqual(probe.calls, ["pause", "resume"])
    }

    func testADisposableAssignedDuringAResumeIsNotLeftPaused() {
        for _ in 0..<500 {
            let subscription = SerialDisposable()
            let probe = Probe()
            subscription.pause()
            onThreads(2) { number in
                if number == 0 { subscription.disposable = probe } else { subscription.resume() }
            }
            XCTAssertNotEqual(probe.calls.last, "pause")
        }
    }

    func testABagDisposesOfItsMembersWhenItIsReleased() {
        let probe = Probe()
        var bag: DisposeBag? = DisposeBag()
        if let bag { probe.disposed(by: bag) }
        XCTAssertEqual(probe.calls, [])
        bag = nil
        XCTAssertEqual(probe.calls, ["dispose"])
    }

    func testADisposableCanDisposeOfItsContainer() {
        let subscription = SerialDisposable(), composite = CompositeDisposable()
        subscription.disposable = Disposables.create { subscription.dispose() }
        composite.insert(Disposables.create { composite.dispose() })
        subscription.dispose()
        composite.dispose()
        XCTAssertTrue(subscription.isDisposed && composite.isDisposed)
    }

    func testABagAcceptsListsOfDisposables() {
        let ended = Log<Int>()
        let disposable = { (number: Int) in Disposables.create { ended.append(number) } }
        var bag: DisposeBag? = DisposeBag {
            disposable(1)
            disposable(2)
        }
        bag?.insert {
            disposable(3)
            disposable(4)
        }
        bag?.insert(disposable(5))
        bag?.insert(disposable(6), disposable(7))
        bag?.insert([disposable(8)])
        disposable(9).disposed(by: bag!)
        XCTAssertEqual(ended.all, [])
        bag = nil
        XCTAssertEqual(ended.all, Array(1...9))
        _ = DisposeBag(disposing: disposable(10), disposable(11))
        _ = DisposeBag(disposing: [disposable(12)])
        XCTAssertEqual(ended.all, Array(1...12))
    }

    func testABagReleasesEndedSubscriptions() {
        let bag = DisposeBag()
        let open = PublishSubject<Int>()
        open.subscribe().disposed(by: bag)
        let before = Resources.total
        for _ in 0..<10_000 { Observable.just(1).subscribe().disposed(by: bag) }
        XCTAssertLessThan(Resources.total - before, 100)
        XCTAssertTrue(open.hasObservers)
    }

    func testAScheduledDisposableIsDisposedOfWhenItsSchedulerRuns() {
        let scheduler = TestScheduler(initialClock: 0)
        let probe = Probe()
        let disposable = ScheduledDisposable(scheduler: scheduler, disposable: probe)
        disposable.dispose()
        disposable.dispose()
        XCTAssertFalse(disposable.isDisposed)
        scheduler.start()
        XCTAssertTrue(disposable.isDisposed)
        XCTAssertEqual(probe.calls, ["dispose"])
    }

    func testADisposableOfTwoReportsThatItIsDisposed() {
        let both = Disposables.create(Disposables.create(), Disposables.create())
        XCTAssertFalse(both.isDisposed)
        both.dispose()
        XCTAssertTrue(both.isDisposed)
    }

    /// Timers of one length that became due during a pause then fire in the order in which they began.
    func testACompositeDisposableResumesItsMembersInTheOrderOfTheirInsertion() {
        struct Member: Pausable {
            let number: Int
            let log: Log<Int>

            func dispose() {}
            func pause() {}
            func resume() { log.append(number) }
        }
        let log = Log<Int>()
        let composite = CompositeDisposable(disposables: (0..<100).map { Member(number: $0, log: log) })
        composite.pause()
        composite.resume()
        XCTAssertEqual(log.all, Array(0..<100))
        composite.dispose()
    }

    func testAMemberThatPausesAllInAResumeLeavesTheMembersAfterItPaused() {
        struct Emitting: Pausable {
            let composite: CompositeDisposable

            func dispose() {}
            func pause() {}
            func resume() { composite.pause() }
        }
        let composite = CompositeDisposable(), last = Probe()
        composite.insert(Emitting(composite: composite))
        composite.insert(last)
        composite.pause()
        composite.resume()
        XCTAssertEqual(last.calls.last, "pause")
        composite.dispose()
    }
}
