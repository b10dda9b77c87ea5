import FreshetCore
import FreshetTesting
import XCTest

/// Tests the rules for sources, for schedulers, and for objects that hold a source.
final class SourceRulesTests: CoreTestCase {
    func testRule13APauseReachesAllSources() {
        let a = ControlledSource<Int>(), b = ControlledSource<Int>()
        for stream in [
            a.stream.map { $0 }.merge(with: b.stream), .zip(a.stream, b.stream) { $0 + $1 },
            .combineLatest([a.stream, b.stream]) { $0.count }, a.stream.withLatestFrom(b.stream),
            a.stream.sample(b.stream), a.stream.take(until: b.stream), a.stream.skip(until: b.stream),
            a.stream.amb(b.stream),
        ] {
            let subscription = SerialDisposable()
            subscription.disposable = stream.subscribe(Recorder<Int>())
            let before = (a.log.count, b.log.count)
            subscription.pause()
            subscription.resume()
            XCTAssertEqual(a.log.dropFirst(before.0), ["pause", "resume"])
            XCTAssertEqual(b.log.dropFirst(before.1), ["pause", "resume"])
            subscription.dispose()
        }
    }

    func testRule14APausedSourceProducesNothingAndLosesNothing() {
        let scheduler = TestScheduler(initialClock: 0)
        for stream in [
            Observable.range(start: 0, count: 9, scheduler: scheduler),
            Observable.from(0..<9, scheduler: scheduler).map { $0 },
            Observable.generate(initialState: 0, condition: { $0 < 9 }, scheduler: scheduler, iterate: { $0 + 1 }),
        ] {
            let recorder = Recorder<Int>()
            let subscription = SerialDisposable()
            subscription.disposable = stream.subscribe(recorder)
            scheduler.advanceBy(3)
            subscription.pause()
            let seen = recorder.elements.count
            scheduler.advanceBy(20)
            XCTAssertLessThanOrEqual(recorder.elements.count, seen + 1)
            subscription.resume()
            scheduler.advanceBy(20)
            XCTAssertEqual(recorder.elements, Array(0..<9))
            XCTAssertTrue(recorder.hasCompleted)
        }
    }

    func testRule15CreateSerializesEventsOfManyThreadsAndDeliversOneStopEvent() {
        let observers = Log<AnyObserver<Int>>()
        let stream = Observable<Int>.create { observer in
            observers.append(observer)
            return Disposables.create()
        }
        let recorder = Recorder<Int>()
        _ = stream.subscribe(recorder)
        let barrier = Barrier(8)
        onThreads(8) { thread in
            barrier.wait()
            for number in 0..<200 { observers.all[0].onNext(number) }
            if thread % 2 == 0 { observers.all[0].onCompleted() } else { observers.all[0].onError(Fault.first) }
        }
        XCTAssertEqual(recorder.overlaps, 0)
        XCTAssertEqual(recorder.events.filter(\.isStopEvent).count, 1)
        XCTAssertTrue(recorder.events.last?.isStopEvent == true)
    }

    func testRule16TheDisposableOfCreateIsDisposedOfOnceForEachKindOfEnd() {
        for end in 0..<4 {
            let ends = Counter()
            let observers = Log<AnyObserver<Int>>()
            let stream = Observable<Int>.create { observer in
                observers.append(observer)
                return Disposables.create { ends.increment() }
            }
            let subscription = stream.subscribe(Recorder<Int>())
            if end == 0 { observers.all[0].onCompleted() }
            if end == 1 { observers.all[0].onError(Fault.first) }
            if end == 2 { subscription.dispose() }
            if end == 3 { onThreads(4) { $0 % 2 == 0 ? subscription.dispose() : observers.all[0].onCompleted() } }
            XCTAssertEqual(ends.value, 1)
            subscription.dispose()
            observers.all[0].onCompleted()
            XCTAssertEqual(ends.value, 1)
        }
    }

    func testRule16AnOperatorThatDelaysAStopEventReleasesTheSource() {
        let scheduler = TestScheduler(initialClock: 0)
        for keeping in [
            { $0.delay(.seconds(3), scheduler: scheduler) }, { $0.observe(on: scheduler) },
            { $0.throttle(.seconds(3), scheduler: scheduler) },
        ] as [(Observable<Int>) -> Observable<Int>] {
            let source = ControlledSource<Int>()
            let recorder = Recorder<Int>()
            let subscription = keeping(source.stream).subscribe(recorder)
            source.send(1, 2)
            source.complete()
            XCTAssertEqual(source.observers, 0)
            XCTAssertFalse(recorder.hasCompleted)
            scheduler.advanceBy(20)
            XCTAssertTrue(recorder.hasCompleted)
            subscription.dispose()
        }
    }

    func testRule17WorkRunsOnceAndDisposedWorkNeverRuns() {
        let virtual = TestScheduler(initialClock: 0)
        let serial = SerialScheduler(over: virtual)
        for scheduler in [virtual, serial] as [any SchedulerType] {
            let runs = Log<String>()
            let note: @Sendable (String) -> any Disposable = { name in
                runs.append(name)
                return Disposables.create()
            }
            let kept = scheduler.schedule("kept", action: note)
            let left = scheduler.schedule("left", action: note)
            let late = scheduler.scheduleRelative("late", dueTime: .seconds(3), action: note)
            let gone = scheduler.scheduleRelative("gone", dueTime: .seconds(3), action: note)
            left.dispose()
            gone.dispose()
            virtual.advanceBy(9)
            [kept, left, late, gone].forEach { $0.dispose() }
            virtual.advanceBy(9)
            XCTAssertEqual(runs.all, ["kept", "late"])
        }
    }

    func testRule17EachTurnOfPeriodicWorkReceivesTheStateOfThePreviousTurn() {
        let virtual = TestScheduler(initialClock: 0)
        for scheduler in [virtual, SerialScheduler(over: virtual)] as [any SchedulerType] {
            let states = Log<Int>()
            let turns = scheduler.schedulePeriodic(0, startAfter: .seconds(1), period: .seconds(2)) { state in
                states.append(state)
                return state + 1
            }
            virtual.advanceBy(10)
            turns.dispose()
            let seen = states.all
            virtual.advanceBy(10)
            XCTAssertEqual(states.all, seen)
            XCTAssertEqual(seen, Array(0..<seen.count))
            XCTAssertGreaterThan(seen.count, 3)
        }
    }

    func testRule18OperatorsKeepTheOrderOnEveryKindOfScheduler() {
        let numbers = Array(0..<200)
        let schedulers: [any ImmediateSchedulerType] = [
            ImmediateScheduler.instance, CurrentThreadScheduler.instance, ThreadsScheduler(),
        ]
        for scheduler in schedulers {
            for stream in [
                Observable.from(numbers, scheduler: scheduler), Observable.from(numbers).observe(on: scheduler),
                Observable.from(numbers).subscribe(on: scheduler),
                Observable.from(numbers).observe(on: scheduler, buffering: 1...4),
                Observable.from(numbers).concatMap { Observable.just($0, scheduler: scheduler) },
            ] {
                let ended = DispatchSemaphore(value: 0)
                let recorder = UnsynchronizedRecorder<Int>()
                let subscription = stream.do(afterCompleted: { ended.signal() }).subscribe(recorder)
                XCTAssertEqual(ended.wait(timeout: .now() + 20), .success)
                XCTAssertEqual(recorder.elements, numbers)
                XCTAssertFalse(recorder.hasOverlapped)
                subscription.dispose()
            }
        }
    }
}

extension Observable {
    fileprivate func merge(with other: Observable<Element>) -> Observable<Element> { .merge(self, other) }
}
