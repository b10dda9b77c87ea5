import FreshetCore
import XCTest

final class SwitchTests: CoreTestCase {
    func testTheNextStreamReplacesThePreviousOne() {
        let outer = ControlledSource<Int>(), inners = [ControlledSource<String>(), ControlledSource<String>()]
        let recorder = Recorder<String>()
        let subscription = outer.stream.flatMapLatest { inners[$0].stream }.subscribe(recorder)
        outer.send(0)
        inners[0].send("a")
        outer.send(1)
        XCTAssertEqual(inners.map(\.observers), [0, 1])
        inners[1].send("b")
        outer.complete()
        inners[1].send("c")
        inners[1].complete()
        XCTAssertEqual(recorder.events, [.next("a"), .next("b"), .next("c"), .completed])
        subscription.dispose()
    }

    func testAStreamReplacedInsideItsElementEmitsNothingMore() {
        let outer = ControlledSource<Int>()
        let recorder = Recorder<Int> { if $0.element == 1 { outer.send(10) } }
        let subscription = outer.stream.flatMapLatest { Observable.of($0, $0 + 1, $0 + 2) }.subscribe(recorder)
        outer.send(1)
        XCTAssertEqual(recorder.overlaps, 0)
        XCTAssertEqual(recorder.elements.suffix(3), [10, 11, 12])
        subscription.dispose()
    }

    func testAnErrorOfAReplacedStreamIsDropped() {
        let outer = ControlledSource<Int>(), inner = ControlledSource<Int>()
        let recorder = Recorder<Int>()
        let subscription = outer.stream.flatMapLatest { $0 == 0 ? inner.stream : .never() }.subscribe(recorder)
        outer.send(0, 1)
        inner.fail()
        XCTAssertEqual(recorder.events, [])
        outer.fail(Fault.second)
        XCTAssertEqual(recorder.events, [.error(Fault.second)])
        subscription.dispose()
    }

    func testAStreamReplacedInsideItsCompletionDoesNotEndTheNext() {
        for replace in [
            { inner, outer in inner.do(onCompleted: { outer.onNext(1) }) },
            { inner, outer in inner.do(onNext: { _ in outer.onNext(1) }).take(1) },
        ] as [(PublishSubject<Int>, PublishSubject<Int>) -> Observable<Int>] {
            let outer = PublishSubject<Int>(), first = PublishSubject<Int>(), second = PublishSubject<Int>()
            let replaced = replace(first, outer)
            let recorder = Recorder<Int>()
            let subscription = outer.flatMapLatest { $0 == 0 ? replaced : second }.subscribe(recorder)
            outer.onNext(0)
            first.onNext(1)
            first.onCompleted()
            second.onNext(2)
            XCTAssertEqual(recorder.elements.last, 2)
            XCTAssertFalse(recorder.hasCompleted)
            subscription.dispose()
        }
    }

    func testStreamsThatCompleteDuringTheirReplacementDoNotEndTheNext() {
        let outer = PublishSubject<Int>()
        let ends = (0..<400).map { _ in PublishSubject<Int>() }
        let last = PublishSubject<Int>()
        let recorder = Recorder<Int>()
        let subscription = outer.flatMapLatest { $0 == 400 ? last : ends[$0] }.subscribe(recorder)
        let barriers = ends.map { _ in Barrier(2) }
        onThreads(2) { thread in
            for number in 0..<400 {
                if thread == 0, number == 0 { outer.onNext(0) }
                barriers[number].wait()
                if thread == 0 { outer.onNext(number + 1) } else { ends[number].onCompleted() }
            }
        }
        last.onNext(7)
        XCTAssertEqual(recorder.elements, [7])
        subscription.dispose()
    }

    func testFlatMapFirstDropsElementsWhileAStreamRuns() {
        let outer = ControlledSource<Int>(), inner = ControlledSource<String>()
        let recorder = Recorder<String>()
        let subscription = outer.stream.flatMapFirst { n in inner.stream.map { "\(n)\($0)" } }.subscribe(recorder)
        outer.send(1, 2)
        inner.send("a")
        inner.complete()
        outer.send(3)
        inner.send("b")
        outer.complete()
        inner.complete()
        XCTAssertEqual(recorder.events, [.next("1a"), .next("3b"), .completed])
        subscription.dispose()
    }

    func testSwitchLatestFollowsTheLatestStream() {
        XCTAssertEqual(Observable.of(Observable.just(1), .just(2)).switchLatest().record().elements, [1, 2])
    }

    func testReplacementsByManyThreadsDoNotOverlap() {
        let outer = ControlledSource<Int>()
        let recorder = Recorder<Int>()
        let subscription = outer.stream.flatMapLatest { Observable.of($0, $0) }.subscribe(recorder)
        onThreads(8) { number in
            for _ in 0..<500 { outer.send(number) }
        }
        outer.complete()
        XCTAssertEqual(recorder.overlaps, 0)
        XCTAssertTrue(recorder.hasCompleted)
        subscription.dispose()
    }

    func testTheFirstElementOfAStreamIsDeliveredBeforeItsReplacement() {
        let outer = PublishSubject<Int>()
        let inner = PublishSubject<Int>()
        let recorder = Recorder<Int> { event in
            guard event.element == -1 else { return }
            outer.onNext(1)
            outer.onNext(2)
        }
        let subscription = outer.flatMapLatest { number in inner.startWith(number) }.subscribe(recorder)
        outer.onNext(0)
        inner.onNext(-1)
        XCTAssertEqual(recorder.elements, [0, -1, 1, 2])
        subscription.dispose()
    }

    func testTheSelectorIsCalledBeforeTheLatestStreamEnds() {
        let log = Locked<[String]>([])
        let note: @Sendable (String) -> Void = { line in log.withLock { $0.append(line) } }
        let subject = PublishSubject<Int>()
        let subscription = subject.flatMapLatest { number in
            note("select \(number)")
            return Observable<Int>.never().do(
                onSubscribe: { note("subscribe \(number)") }, onDispose: { note("dispose \(number)") })
        }.subscribe()
        subject.onNext(1)
        subject.onNext(2)
        XCTAssertEqual(log.withLock { $0 }, ["select 1", "subscribe 1", "select 2", "dispose 1", "subscribe 2"])
        subscription.dispose()
    }
}
