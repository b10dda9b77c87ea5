import FreshetCore
import XCTest

/// Tests that nothing of a hot stream is lost if it arrives while another thread delivers an element of an earlier stream.
final class BusyOperatorTests: CoreTestCase {
    private typealias Inner = @Sendable (Int) throws -> Observable<Int>
    private typealias Way = @Sendable (Observable<Int>, @escaping Inner) -> Observable<Int>

    private let outer = PublishSubject<Int>()
    private let inners = [PublishSubject<Int>(), PublishSubject<Int>(), PublishSubject<Int>()]
    private let subscription = SerialDisposable()

    /// Subscribes to the stream, and runs `work` while another thread delivers the first element, which is 1.
    private func record(_ way: Way, during work: @escaping @Sendable () -> Void) -> Recorder<Int> {
        let (begun, over) = (Barrier(2), Barrier(2))
        let recorder = Recorder<Int> { event in
            guard event.element == 1 else { return }
            begun.wait()
            over.wait()
        }
        let inners = inners
        subscription.disposable = way(outer) { number in
            guard number < inners.count else { throw Fault.first }
            return inners[number]
        }.subscribe(recorder)
        outer.onNext(0)
        onThreads(2) { thread in
            if thread == 0 { return inners[0].onNext(1) }
            begun.wait()
            work()
            over.wait()
        }
        XCTAssertEqual(recorder.overlaps, 0)
        return recorder
    }

    override func tearDown() {
        subscription.dispose()
        super.tearDown()
    }

    func testFlatMapLosesNothingOfAHotStream() {
        let recorder = record({ $0.flatMap($1) }) { [outer, inners] in
            outer.onNext(1)
            inners[1].onNext(2)
        }
        XCTAssertEqual(recorder.elements, [1, 2])
    }

    func testFlatMapLosesNothingOfACombinationWithAHotStream() {
        let ways: [@Sendable (Observable<Int>) -> Observable<Int>] = [
            { .zip($0, Observable.of(0, 0)) { $0 + $1 } }, { .combineLatest($0, Observable.just(0)) { $0 + $1 } },
            { .zip([$0]) { $0[0] } }, { $0.multicast({ PublishSubject<Int>() }, selector: { $0.map { $0 } }) },
        ]
        for combine in ways {
            let recorder = record({ stream, inner in stream.flatMap { combine(try inner($0)) } }) { [outer, inners] in
                outer.onNext(1)
                inners[1].onNext(2)
            }
            XCTAssertEqual(recorder.elements, [1, 2])
        }
    }

    func testMergeWithALimitLosesNothingOfAHotStream() {
        let recorder = record({ $0.map($1).merge(maxConcurrent: 2) }) { [outer, inners] in
            outer.onNext(1)
            inners[1].onNext(2)
            outer.onNext(2)
            inners[2].onNext(3)
        }
        inners[2].onNext(4)
        inners[1].onCompleted()
        inners[2].onNext(5)
        XCTAssertEqual(recorder.elements, [1, 2, 5], "the third stream has to wait for one of the others")
    }

    /// The second stream can share the source of the first, and would join it.
    func testFlatMapLatestEndsTheEarlierStreamBeforeItStartsTheNext() {
        let connections = Locked(0)
        let (trigger, source) = (PublishSubject<Int>(), PublishSubject<Int>())
        let shared = source.do(onSubscribe: { connections.withLock { $0 += 1 } }).share(replay: 1)
        let subscription = trigger.flatMapLatest { _ in shared }
            .subscribe(onNext: { if $0 == 1 { trigger.onNext(1) } })
        trigger.onNext(0)
        source.onNext(1)
        XCTAssertEqual(connections.withLock { $0 }, 2)
        source.onNext(2)
        subscription.dispose()
        XCTAssertFalse(source.hasObservers)
    }

    func testTheEndOfAHotStreamIsDeliveredInItsTurn() {
        let recorder = record({ $0.flatMap($1) }) { [outer, inners] in
            outer.onNext(1)
            outer.onCompleted()
            inners[1].onNext(2)
            inners[1].onCompleted()
        }
        XCTAssertEqual(recorder.elements, [1, 2])
        XCTAssertFalse(recorder.hasCompleted)
        inners[0].onCompleted()
        XCTAssertTrue(recorder.hasCompleted)
    }

    func testAnErrorOfTheSelectorIsDeliveredInItsTurn() {
        for way in [{ $0.flatMap($1) }, { $0.concatMap($1) }, { $0.flatMapLatest($1) }] as [Way] {
            let recorder = record(way) { [outer] in outer.onNext(3) }
            XCTAssertEqual(recorder.elements, [1])
            XCTAssertNotNil(recorder.error)
            XCTAssertFalse(inners[0].hasObservers)
        }
    }

    func testAStreamThatArrivesAfterTheDisposalIsNotSubscribedTo() {
        let recorder = record({ $0.flatMap($1) }) { [outer, inners, subscription] in
            subscription.dispose()
            outer.onNext(1)
            inners[1].onNext(2)
        }
        XCTAssertEqual(recorder.elements, [1])
        XCTAssertFalse(inners[0].hasObservers || inners[1].hasObservers)
    }
}
