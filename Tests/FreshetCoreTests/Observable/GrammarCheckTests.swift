import FreshetCore
import XCTest

#if DEBUG
    /// Tests that a debug build reports a stream that breaks the contract.
    final class GrammarCheckTests: CoreTestCase {
        private let violations = Log<String>()

        override func setUp() {
            super.setUp()
            GrammarCheck.violationHandler.withLock { [violations] in
                $0 = GrammarCheck.GrammarViolation { violations.append($0) }
            }
        }

        override func tearDown() {
            GrammarCheck.violationHandler.withLock { $0 = GrammarCheck.GrammarViolation { fatalError($0) } }
            super.tearDown()
        }

        func testAnEventInsideAnEventIsReported() {
            let scheduler = NonSerialScheduler()
            let isFirst = Counter()
            let recorder = Recorder<Int> { _ in if isFirst.increment() == 1 { scheduler.turn() } }
            let subscription = Observable<Int>.interval(.seconds(1), scheduler: scheduler).subscribe(recorder)
            scheduler.turn()
            XCTAssertEqual(violations.all.count, 1)
            XCTAssertTrue(violations.all.first?.contains("inside another") == true)
            subscription.dispose()
        }

        func testSimultaneousEventsOfTwoThreadsAreReported() {
            let scheduler = NonSerialScheduler()
            let entered = DispatchSemaphore(value: 0), left = DispatchSemaphore(value: 0)
            let isFirst = Counter()
            let recorder = Recorder<Int> { _ in
                guard isFirst.increment() == 1 else { return }
                entered.signal()
                left.wait()
            }
            let subscription = Observable<Int>.interval(.seconds(1), scheduler: scheduler).subscribe(recorder)
            onThreads(2) { thread in
                if thread == 1 { entered.wait() }
                scheduler.turn()
                if thread == 1 { left.signal() }
            }
            XCTAssertEqual(violations.all.count, 1)
            XCTAssertTrue(violations.all.first?.contains("while another thread") == true)
            subscription.dispose()
        }

        func testSerializedEventsOfManyThreadsAreNotReported() {
            let subject = PublishSubject<Int>()
            let recorder = Recorder<Int> { if let element = $0.element, element < 3 { subject.onNext(element + 1) } }
            let subscription = subject.map { $0 }.subscribe(recorder)
            onThreads(4) { subject.onNext($0) }
            subject.onCompleted()
            subject.onNext(7)
            subscription.dispose()
            XCTAssertEqual(violations.all, [])
        }
    }

    /// Runs its work at each call of `turn`, even while the work runs.
    private final class NonSerialScheduler: SchedulerType {
        private let turns = Locked<(@Sendable () -> Void)?>(nil)

        let now = Instant(sinceStart: .zero)

        func turn() { turns.withLock { $0 }?() }

        func schedule<StateType: Sendable>(
            _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
        ) -> any Disposable {
            action(state)
        }

        func scheduleRelative<StateType: Sendable>(
            _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
        ) -> any Disposable {
            action(state)
        }

        func schedulePeriodic<StateType: Sendable>(
            _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
            action: @escaping @Sendable (StateType) -> StateType
        ) -> any Disposable {
            let current = Locked(state)
            turns.withLock {
                $0 = {
                    let state = current.withLock { $0 }
                    let next = action(state)
                    current.withLock { $0 = next }
                }
            }
            return Disposables.create { self.turns.withLock { $0 = nil } }
        }
    }
#endif
