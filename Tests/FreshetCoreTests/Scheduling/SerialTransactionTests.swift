import FreshetCore
import FreshetTesting
import XCTest

final class SerialTransactionTests: CoreTestCase {
    private let virtual = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    private lazy var serial = SerialScheduler(over: virtual)
    private let log = Log<String>()

    /// A transaction that succeeds after `time` seconds.
    private func transaction(_ name: String, lasting time: Int) -> Single<String> {
        let (log, virtual) = (log, virtual)
        return serial.run {
            log.append("\(name) begins at \(virtual.clock)")
            return Single<Int>.timer(.seconds(time), scheduler: virtual).map { _ in name }
        }
    }

    private func start(_ single: Single<String>) -> any Disposable {
        single.subscribe { [log, virtual] result in
            switch result {
            case .success(let name): log.append("\(name) ends at \(virtual.clock)")
            case .failure(let error): log.append("\(error) at \(virtual.clock)")
            }
        }
    }

    func testATransactionBeginsWhenThePreviousOneHasEnded() {
        let held = [start(transaction("a", lasting: 10)), start(transaction("b", lasting: 5))]
        XCTAssertEqual(log.all, [], "it begins on the scheduler below")
        virtual.start()
        XCTAssertEqual(log.all, ["a begins at 0", "a ends at 10", "b begins at 10", "b ends at 15"])
        for one in held { one.dispose() }
    }

    func testAFailureEndsATransaction() {
        struct Trouble: Error {}
        _ = start(serial.run { Single<String>.error(Trouble()) })
        _ = start(transaction("b", lasting: 5))
        virtual.start()
        XCTAssertEqual(log.all, ["Trouble() at 0", "b begins at 0", "b ends at 5"])
    }

    func testEachSubscriptionRunsItsOwnTransaction() {
        let twice = transaction("a", lasting: 1)
        _ = start(twice)
        _ = start(twice)
        virtual.start()
        XCTAssertEqual(log.all, ["a begins at 0", "a ends at 1", "a begins at 1", "a ends at 2"])
    }

    func testATransactionDisposedOfWhileItWaitsNeverBegins() {
        _ = start(transaction("a", lasting: 10))
        let waiting = start(transaction("b", lasting: 10))
        _ = start(transaction("c", lasting: 10))
        virtual.scheduleAt(5) { waiting.dispose() }
        virtual.start()
        XCTAssertEqual(log.all, ["a begins at 0", "a ends at 10", "c begins at 10", "c ends at 20"])
    }

    func testATransactionDisposedOfBeforeItBeginsLetsTheNextBegin() {
        let first = start(transaction("a", lasting: 10))
        _ = start(transaction("b", lasting: 10))
        first.dispose()
        virtual.start()
        XCTAssertEqual(log.all, ["b begins at 0", "b ends at 10"])
    }

    func testARunningTransactionIsDisposedOfBeforeTheNextBegins() {
        let (log, serial, virtual) = (log, serial, virtual)
        let running = serial.run {
            Completable.create { _ in Disposables.create { log.append("given up at \(virtual.clock)") } }
        }.subscribe()
        _ = start(transaction("b", lasting: 1))
        virtual.scheduleAt(5) { running.dispose() }
        virtual.start()
        XCTAssertEqual(log.all, ["given up at 5", "b begins at 5", "b ends at 6"])
    }

    func testScheduledWorkDoesNotWaitForATransaction() {
        _ = start(transaction("a", lasting: 10))
        _ = serial.schedule(()) { [log] _ in
            log.append("work")
            return Disposables.create()
        }
        virtual.start()
        XCTAssertEqual(log.all, ["a begins at 0", "work", "a ends at 10"])
    }

    func testATransactionStartedInsideATransactionBeginsAfterIt() {
        let (log, serial, virtual) = (log, serial, virtual)
        _ = start(
            serial.run {
                _ = serial.run {
                    log.append("inner at \(virtual.clock)")
                    return Completable.empty()
                }.subscribe()
                return Single<Int>.timer(.seconds(3), scheduler: virtual).map { _ in "outer" }
            })
        virtual.start()
        XCTAssertEqual(log.all, ["outer ends at 3", "inner at 3"])
    }

    func testManySynchronousTransactionsDoNotDeepenTheStack() {
        let count = Counter()
        for _ in 0..<20_000 {
            _ = serial.run { Single.just(()) }.subscribe { _ in count.increment() }
        }
        virtual.start()
        XCTAssertEqual(count.value, 20_000)
    }
}
