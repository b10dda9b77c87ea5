import FreshetCore
import XCTest

final class ReservoirTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func text(_ content: Reservoir<Int>.Content) -> String {
        switch content {
        case .element(let element): "\(element)"
        case .nothing: "nothing"
        case .ended(nil): "ended"
        case .ended(let error?): "\(error)"
        }
    }

    func testWhatHasComeIsTakenInOrderAndThenTheEnd() {
        let reservoir = Reservoir<Int>(limits: 1...2, onRefill: {})
        reservoir.fill(from: .of(1, 2, 3))
        XCTAssertEqual((0..<5).map { _ in text(reservoir.take()) }, ["1", "2", "3", "ended", "ended"])
        reservoir.dispose()
    }

    func testAnErrorComesAfterWhatCameBeforeIt() {
        let reservoir = Reservoir<Int>(limits: 1...2, onRefill: {})
        reservoir.fill(from: Observable.of(1).concat(Observable.error(RxError.noElements)))
        XCTAssertEqual((0..<2).map { _ in text(reservoir.take()) }, ["1", "\(RxError.noElements)"])
    }

    func testASourceIsHeldBetweenTheMarksAlsoOneThatEmitsWithinTheSubscription() {
        let produced = Locked(0)
        let reservoir = Reservoir<Int>(limits: 10...30, size: { _ in 5 }, onRefill: {})
        reservoir.fill(from: Observable.range(start: 0, count: 1000).do(onNext: { _ in produced.withLock { $0 += 1 } }))
        XCTAssertEqual(produced.withLock { $0 }, 6)
        for _ in 0..<3 { _ = reservoir.take() }
        XCTAssertEqual(produced.withLock { $0 }, 6)
        _ = reservoir.take()
        XCTAssertEqual(produced.withLock { $0 }, 10)
        reservoir.dispose()
        for _ in 0..<10 { _ = reservoir.take() }
        XCTAssertEqual(produced.withLock { $0 }, 10)
    }

    func testWhoFoundNothingIsToldOnceWhenThatChanges() {
        let told = Locked(0)
        let subject = PublishSubject<Int>()
        let reservoir = Reservoir<Int>(limits: 1...2, onRefill: { told.withLock { $0 += 1 } })
        reservoir.fill(from: subject.asObservable())
        subject.onNext(1)
        XCTAssertEqual(told.withLock { $0 }, 0, "nobody asked")
        XCTAssertEqual(
            [text(reservoir.take()), text(reservoir.take()), text(reservoir.take())], ["1", "nothing", "nothing"])
        subject.onNext(2)
        subject.onNext(3)
        XCTAssertEqual(told.withLock { $0 }, 1)
        XCTAssertEqual(
            [text(reservoir.take()), text(reservoir.take()), text(reservoir.take())], ["2", "3", "nothing"])
        subject.onCompleted()
        XCTAssertEqual(told.withLock { $0 }, 2)
        XCTAssertEqual(text(reservoir.take()), "ended")
    }

    func testNothingIsToldOrKeptAfterDispose() {
        let told = Locked(0)
        let subject = PublishSubject<Int>()
        let reservoir = Reservoir<Int>(limits: 1...2, onRefill: { told.withLock { $0 += 1 } })
        reservoir.fill(from: subject.asObservable())
        _ = reservoir.take()
        reservoir.dispose()
        subject.onNext(1)
        XCTAssertFalse(subject.hasObservers)
        XCTAssertEqual(told.withLock { $0 }, 0)
        XCTAssertEqual(text(reservoir.take()), "nothing")
    }
}
