import FreshetCore
import XCTest

final class PullBufferTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func text(_ content: PullBuffer<Int>.Content) -> String {
        switch content {
        case .element(let element): "\(element)"
        case .nothing: "nothing"
        case .ended(nil): "ended"
        case .ended(let error?): "\(error)"
        }
    }

    func testElementsArePulledInOrderBeforeTheEnd() {
        let buffer = PullBuffer<Int>(limits: 1...2, onRefill: {})
        buffer.fill(from: .of(1, 2, 3))
        XCTAssertEqual((0..<5).map { _ in text(buffer.pull()) }, ["1", "2", "3", "ended", "ended"])
        buffer.dispose()
    }

    func testAnErrorIsPulledAfterTheElementsBeforeIt() {
        let buffer = PullBuffer<Int>(limits: 1...2, onRefill: {})
        buffer.fill(from: Observable.of(1).concat(Observable.error(RxError.noElements)))
        XCTAssertEqual((0..<2).map { _ in text(buffer.pull()) }, ["1", "\(RxError.noElements)"])
    }

    func testASynchronousSourceIsPausedAtTheUpperLimitAndResumedAtTheLower() {
        let produced = Locked(0)
        let buffer = PullBuffer<Int>(limits: 10...30, size: { _ in 5 }, onRefill: {})
        buffer.fill(from: Observable.range(start: 0, count: 1000).do(onNext: { _ in produced.withLock { $0 += 1 } }))
        XCTAssertEqual(produced.withLock { $0 }, 6)
        for _ in 0..<3 { _ = buffer.pull() }
        XCTAssertEqual(produced.withLock { $0 }, 6)
        _ = buffer.pull()
        XCTAssertEqual(produced.withLock { $0 }, 10)
        buffer.dispose()
        for _ in 0..<10 { _ = buffer.pull() }
        XCTAssertEqual(produced.withLock { $0 }, 10)
    }

    func testOnRefillIsCalledOnceAfterAnEmptyPull() {
        let refills = Locked(0)
        let subject = PublishSubject<Int>()
        let buffer = PullBuffer<Int>(limits: 1...2, onRefill: { refills.withLock { $0 += 1 } })
        buffer.fill(from: subject.asObservable())
        subject.onNext(1)
        XCTAssertEqual(refills.withLock { $0 }, 0, "nothing was pulled")
        XCTAssertEqual(
            [text(buffer.pull()), text(buffer.pull()), text(buffer.pull())], ["1", "nothing", "nothing"])
        subject.onNext(2)
        subject.onNext(3)
        XCTAssertEqual(refills.withLock { $0 }, 1)
        XCTAssertEqual(
            [text(buffer.pull()), text(buffer.pull()), text(buffer.pull())], ["2", "3", "nothing"])
        subject.onCompleted()
        XCTAssertEqual(refills.withLock { $0 }, 2)
        XCTAssertEqual(text(buffer.pull()), "ended")
    }

    func testADisposedBufferKeepsNoElementAndDoesNotCallOnRefill() {
        let refills = Locked(0)
        let subject = PublishSubject<Int>()
        let buffer = PullBuffer<Int>(limits: 1...2, onRefill: { refills.withLock { $0 += 1 } })
        buffer.fill(from: subject.asObservable())
        _ = buffer.pull()
        buffer.dispose()
        subject.onNext(1)
        XCTAssertFalse(subject.hasObservers)
        XCTAssertEqual(refills.withLock { $0 }, 0)
        XCTAssertEqual(text(buffer.pull()), "nothing")
    }
}
